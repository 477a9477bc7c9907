/** What is before the path in a key. The path itself may have spaces. */
const prefix = /^argot(?: \w+ |-queue:)/

/** Moves a document's entries in this browser to its new path: its model, syntax, approvals, drafts and queued messages. */
export function moveStoredEntries(from: string, to: string): void {
  for (const storage of storages()) {
    for (const key of Object.keys(storage)) {
      const value = prefix.test(key) && key.replace(prefix, '') === from ? storage.getItem(key) : null
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
