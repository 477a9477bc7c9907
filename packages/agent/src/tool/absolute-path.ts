import { delimiter, isAbsolute } from 'node:path'

/** The search path if nothing is left of the original: an empty one would mean the working folder. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin'

/**
 * Removes relative and empty entries from a search path. They lead into the folder that a program is started in, where
 * a project may have put its own program under another's name.
 */
export function absolutePath(path: string): string {
  const entries = path.split(delimiter).filter(entry => isAbsolute(entry))
  return entries.length === 0 && process.platform !== 'win32' ? DEFAULT_PATH : entries.join(delimiter)
}
