/** Moves a document's entries in this browser to its new path: its model, syntax, approvals and drafts. */
export function moveStoredEntries(from: string, to: string): void {
  for (const storage of storages()) {
    for (const key of Object.keys(storage)) {
      const value = key.startsWith('argot') && key.endsWith(` ${from}`) ? storage.getItem(key) : null
      if (value === null) continue
      try {
        storage.setItem(`${key.slice(0, -from.length)}${to}`, value)
        storage.removeItem(key)
      } catch {
        // No storage left: it stays under the old name.
      }
    }
  }
}

function storages(): Storage[] {
  try {
    return [localStorage, sessionStorage]
  } catch {
    return []
  }
}
