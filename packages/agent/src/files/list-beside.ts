import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The paths in a file's folder that are its own with a dot and more, such as its drafts. */
export function listBeside(path: string): string[] {
  const folder = dirname(path)
  const start = `${basename(path)}.`
  return readdirSync(folder)
    .filter(name => name.startsWith(start))
    .map(name => join(folder, name))
}
