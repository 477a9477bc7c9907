import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it. A folder that cannot be made throws the system's error. `mkdir` with `recursive` is not used,
 * because it never ends where a folder that is there takes no other, as in `/proc`.
 */
export function makeFolders(folder: string, mode?: number): void {
  if (isFolder(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolders(parent, mode)
  try {
    mkdirSync(folder, mode)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
