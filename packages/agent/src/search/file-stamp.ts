import { lstat } from 'node:fs/promises'

/** A younger file may change again without getting another stamp, because disk clocks are coarse. */
const SETTLED_MS = 2000

/**
 * Changes with the file. Undefined if there is no file, or it isn't a regular file. If `isFresh`, the stamp is valid
 * only once.
 */
export interface FileStamp {
  stamp: string
  bytes: number
  isFresh: boolean
}

export async function stampFile(path: string): Promise<FileStamp | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  if (stats?.isFile() !== true) return undefined
  const { size, ino, mtimeNs, ctimeNs, ctimeMs } = stats
  const isFresh = Date.now() - Number(ctimeMs) < SETTLED_MS
  return { stamp: `${size} ${ino} ${mtimeNs} ${ctimeNs}`, bytes: Number(size), isFresh }
}
