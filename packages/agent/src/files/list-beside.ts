import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Lists the files in the same folder whose names begin with this file's name and a dot, such as its drafts. */
export function listBeside(path: string): string[] {
  const folder = dirname(path)
  const start = `${basename(path)}.`
  return readdirSync(folder)
    .filter(name => name.startsWith(start))
    .map(name => join(folder, name))
}
