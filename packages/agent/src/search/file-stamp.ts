import { lstat } from 'node:fs/promises'

/** A younger file may change again without getting another stamp, because disk clocks are coarse. */
const SETTLED_MS = 2000

/** If `isFresh`, the file may change without changing its stamp, so the stamp is valid only once. */
export interface FileStamp {
  stamp: string
  bytes: number
  isFresh: boolean
}

/** Undefined unless there is a regular file. */
export async function stampFile(path: string): Promise<FileStamp | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  if (stats?.isFile() !== true) return undefined
  const { size, ino, mtimeNs, ctimeNs, ctimeMs } = stats
  const isFresh = Date.now() - Number(ctimeMs) < SETTLED_MS
  return { stamp: `${size} ${ino} ${mtimeNs} ${ctimeNs}`, bytes: Number(size), isFresh }
}
