import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../io/io.ts'

/** The real path of a folder that somebody named. */
export async function readFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined)
  if (found?.isDirectory() !== true) throw new UsageError(`There is no folder "${folder}".`)
  return realpath(folder)
}

/** Where a server keeps what it remembers of a folder, unless it is told another place. */
export function serverStateFolder(configFolder: string, root: string): string {
  return join(configFolder, 'server', createHash('sha256').update(root).digest('hex').slice(0, 16))
}

/** Where a server says its address while it runs, for commands on the same folder. It has no token in it. */
export function addressFile(stateFolder: string): string {
  return join(stateFolder, 'address.json')
}
