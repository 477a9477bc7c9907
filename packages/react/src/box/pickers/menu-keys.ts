import type { KeyboardEvent } from 'react'

/** Menus leave shortcuts to the page, and keys to an input method that is composing. */
export function isShortcut({ key, ctrlKey, metaKey, altKey, nativeEvent }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || /^F\d/.test(key) || nativeEvent.isComposing
}

/** The row to which an arrow, Home, End or a first letter leads. `active` is a row, or next to one. */
export function findNextRow(rows: readonly HTMLElement[], active: HTMLElement, key: string): HTMLElement | undefined {
  const own = rows.indexOf(active)
  const at = own === -1 ? rows.findIndex(row => row.parentElement === active.parentElement) : own
  const isLetter = (row: HTMLElement): boolean => row.textContent.toLowerCase().startsWith(key.toLowerCase())
  if (key.length === 1) return [...rows.slice(at + 1), ...rows].find(isLetter)
  const targets: Partial<Record<string, HTMLElement | undefined>> = {
    ArrowDown: rows[(at + 1) % rows.length],
    ArrowUp: rows.at(Math.max(at, 0) - 1),
    Home: rows[0],
    End: rows.at(-1),
  }
  return targets[key]
}
