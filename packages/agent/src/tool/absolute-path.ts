import { delimiter, isAbsolute } from 'node:path'

/** Where programs are looked for when a search path has nothing left: an empty one would mean the working folder. */
const USUAL = '/usr/local/bin:/usr/bin:/bin'

/**
 * A search path without its relative and empty entries, which lead into the folder that a program is started in: there a
 * project may have put a program of its own under the name of another.
 */
export function absolutePath(path: string): string {
  const entries = path.split(delimiter).filter(entry => isAbsolute(entry))
  return entries.length === 0 && process.platform !== 'win32' ? USUAL : entries.join(delimiter)
}
