import { createHash } from 'node:crypto'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { nearestNames } from '@argot/core/stream/internal'
import { UsageError } from '../io/io.ts'

export async function readFolder(folder: string): Promise<string> {
  const stats = await stat(folder).catch(() => undefined)
  if (stats?.isDirectory() === true) return realpath(folder)
  const names = await readdir(dirname(folder)).catch(() => [])
  const [nearest] = nearestNames(basename(folder), names, 1)
  const cure = nearest === undefined ? '' : ` Did you mean "${join(dirname(folder), nearest)}"?`
  throw new UsageError(`There is no folder "${folder}".${cure}`)
}

export function serverStateFolder(configFolder: string, root: string): string {
  return join(configFolder, 'server', createHash('sha256').update(root).digest('hex').slice(0, 16))
}

/** A running server's address, for commands on the same folder. Contains no token. */
export function addressFile(stateFolder: string): string {
  return join(stateFolder, 'address.json')
}
