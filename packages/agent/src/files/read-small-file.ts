import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { isKeyFile } from './key-file.ts'
import { isInside } from './local-file.ts'

/** Files up to this size are read synchronously, which blocks the event loop. */
const SMALL_BYTES = 256 * 1024

export interface SmallFile {
  path: string
  bytes: Buffer
}

/**
 * Reads a small regular file in a root, synchronously and under the same rules as `locate` and `readBytes`. Returns
 * undefined for everything else, whatever the reason; reading it with those two gives the reason.
 */
export function readSmallFile(path: string, root: string): SmallFile | undefined {
  try {
    const real = realpathSync.native(path)
    if (!isInside(root, real) || isKeyFile(real) || !isSmallFile(statSync(real))) return undefined
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
    const fd = openSync(real, flags)
    try {
      const stats = fstatSync(fd)
      if (!isSmallFile(stats) || !isStillAt(fd, stats, real)) return undefined
      const bytes = readBytes(fd, stats.size)
      return bytes && { path: real, bytes }
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

/** Files in `/proc` report size 0 but have content. */
function isSmallFile(stats: Stats): boolean {
  return stats.isFile() && stats.size > 0 && stats.size <= SMALL_BYTES
}

/** The synchronous `isAt`. */
function isStillAt(fd: number, stats: Stats, path: string): boolean {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`) === path
  const now = statSync(path)
  return realpathSync.native(path) === path && now.ino === stats.ino && now.dev === stats.dev
}

/** Undefined if the file's size has changed meanwhile: it asks for one byte more than expected. */
function readBytes(fd: number, size: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(size + 1)
  return readSync(fd, bytes, 0, bytes.length, null) === size ? bytes.subarray(0, size) : undefined
}
