import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { codeOf } from '../../words/code-of.ts'

/** What a folder store asks of a disk, one system call each, so that a test can stop between any two. */
export interface Disk {
  open(path: string, flags: string | number): number
  /** Writes at the place that the flags of `open` say; returns how many bytes it took. */
  write(fd: number, bytes: Uint8Array): number
  truncate(fd: number, size: number): void
  sync(fd: number): Promise<void>
  /** The same, in one call. */
  syncNow(fd: number): void
  close(fd: number): void
}

export const nodeDisk: Disk = {
  open: (path, flags) => openSync(path, flags),
  write: (fd, bytes) => writeSync(fd, bytes),
  truncate: (fd, size) => ftruncateSync(fd, size),
  sync: fd => new Promise((resolve, reject) => fdatasync(fd, error => (error === null ? resolve() : reject(error)))),
  syncNow: fd => fdatasyncSync(fd),
  close: fd => closeSync(fd),
}

/** Writes all of it; a disk that takes less than it was given gets the rest in another call. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array): void {
  let written = disk.write(fd, bytes)
  while (written < bytes.length) written += disk.write(fd, bytes.subarray(written))
}

/** Takes back what a write that failed left behind, where that is possible. */
export function cutBack(disk: Disk, fd: number, size: number): void {
  try {
    disk.truncate(fd, size)
  } catch {
    // The write that failed is what the caller hears of; whoever opens the file next repairs its end.
  }
}

/** Makes a file with this content. Fails with `EEXIST` where there is one: nothing is ever overwritten. */
export function createFile(disk: Disk, path: string, content: string | Uint8Array): void {
  disk.close(createOpenFile(disk, path, content))
}

/** The same, and the file stays open: the caller has its descriptor. */
export function createOpenFile(disk: Disk, path: string, content: string | Uint8Array): number {
  const fd = disk.open(path, 'wx')
  try {
    writeAll(disk, fd, typeof content === 'string' ? Buffer.from(content) : content)
    return fd
  } catch (error) {
    disk.close(fd)
    throw error
  }
}

/** Waits until the disk has the content of a file, or the names in a folder. */
export async function syncPath(disk: Disk, path: string): Promise<void> {
  const fd = disk.open(path, 'r')
  try {
    await disk.sync(fd)
  } finally {
    disk.close(fd)
  }
}

/** The same for a folder; systems that cannot do that need not. */
export async function syncFolder(disk: Disk, path: string): Promise<void> {
  try {
    await syncPath(disk, path)
  } catch (error) {
    if (!isSystemError(error, 'EISDIR', 'EPERM', 'EINVAL', 'EACCES', 'EBADF')) throw error
  }
}

export function isSystemError(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(error))
}
