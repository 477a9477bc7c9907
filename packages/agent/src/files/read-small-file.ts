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

/** What is read at once, without letting others do anything meanwhile. */
const SMALL_BYTES = 256 * 1024

/** A file that was read, and its real path. */
export interface SmallFile {
  path: string
  bytes: Buffer
}

/**
 * Reads a small regular file that lies in a root, under the same rules as `locate` and `readBytes`, in a few system calls
 * that nobody waits for. Undefined for everything else, whatever the reason: who reads it the other way learns why.
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

/** Files of `/proc` say that they are empty and are not. */
function isSmallFile(found: Stats): boolean {
  return found.isFile() && found.size > 0 && found.size <= SMALL_BYTES
}

/** Whether what was opened is at this real path: no folder on the way was a link when it was opened. */
function isStillAt(fd: number, found: Stats, path: string): boolean {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`) === path
  const now = statSync(path)
  return realpathSync.native(path) === path && now.ino === found.ino && now.dev === found.dev
}

/** Undefined for a file that has become longer or shorter meanwhile: a byte more than it had is asked for. */
function readBytes(fd: number, size: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(size + 1)
  return readSync(fd, bytes, 0, bytes.length, null) === size ? bytes.subarray(0, size) : undefined
}
