import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, openSync, unlinkSync } from 'node:fs'
import { writeAll, writeOnce } from '../../files/write-all.ts'
import { getCode } from '../../words/get-code.ts'

/** The disk operations that a folder store needs, one system call each, so that tests can stop between any two. */
export interface Disk {
  open(path: string, flags: string | number): number
  /** Writes where the flags of `open` say; returns how many bytes it took. */
  write(fd: number, bytes: Uint8Array): number
  truncate(fd: number, size: number): void
  sync(fd: number): Promise<void>
  /** Like `sync`, but synchronous. */
  syncNow(fd: number): void
  close(fd: number): void
  remove(path: string): void
}

export const nodeDisk: Disk = {
  open: (path, flags) => openSync(path, flags),
  write: writeOnce,
  truncate: (fd, size) => ftruncateSync(fd, size),
  sync: fd => new Promise((resolve, reject) => fdatasync(fd, error => (error === null ? resolve() : reject(error)))),
  syncNow: fd => fdatasyncSync(fd),
  close: fd => closeSync(fd),
  remove: path => unlinkSync(path),
}

/** Creates a file with this content. Fails with `EEXIST` if it exists: nothing is ever overwritten. */
export function createFile(disk: Disk, path: string, content: string | Uint8Array): void {
  disk.close(createOpenFile(disk, path, content))
}

/** Like `createFile`, but keeps the file open: the caller gets its descriptor. */
export function createOpenFile(disk: Disk, path: string, content: string | Uint8Array): number {
  const fd = disk.open(path, 'wx')
  try {
    writeAll(fd, content, disk.write.bind(disk))
    return fd
  } catch (error) {
    // Half a file under this name would be mistaken for the whole.
    removeQuietly(disk, path)
    disk.close(fd)
    throw error
  }
}

function removeQuietly(disk: Disk, path: string): void {
  try {
    disk.remove(path)
  } catch {
    // The caller gets the error of the write.
  }
}

/** Waits until the content of a file, or the names in a folder, are on disk. */
export async function syncPath(disk: Disk, path: string): Promise<void> {
  const fd = disk.open(path, 'r')
  try {
    await disk.sync(fd)
  } finally {
    disk.close(fd)
  }
}

/** Like `syncPath`, for a folder. Systems that can't sync folders don't need it. */
export async function syncFolder(disk: Disk, path: string): Promise<void> {
  try {
    await syncPath(disk, path)
  } catch (error) {
    if (!isSystemError(error, 'EISDIR', 'EPERM', 'EINVAL', 'EACCES', 'EBADF')) throw error
  }
}

export function isSystemError(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(getCode(error))
}
