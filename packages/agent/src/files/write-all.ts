import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { getCode } from '../words/get-code.ts'

/*
 * Every write to a file goes through `writeAll`, which writes all bytes or throws. `test/raw-writes.test.ts` enforces
 * it.
 */

/** One system write, at the position that the file's flags decide. It may accept fewer bytes than it gets. */
export type WriteOnce = (fd: number, bytes: Uint8Array) => number

/** The system's own write. Only `writeAll` and disks call it. */
export const writeOnce: WriteOnce = (fd, bytes) => writeSync(fd, bytes)

/** How often to retry a disk that accepts nothing, a millisecond apart, before the write fails. */
const MOST_REFUSALS = 100

const clock = new Int32Array(new SharedArrayBuffer(4))

/**
 * Writes all bytes, in as many writes as the disk needs, or throws. After an error the file may have some of the bytes:
 * use `FileEnd` for a file that others read meanwhile, and `createWhole` for a new one.
 */
export function writeAll(fd: number, content: string | Uint8Array, write: WriteOnce = writeOnce): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  let refusals = 0
  for (let offset = 0; offset < bytes.length; ) {
    const count = writeSome(fd, offset === 0 ? bytes : bytes.subarray(offset), write)
    if (count > 0) {
      refusals = 0
      offset += count
    } else if (++refusals > MOST_REFUSALS) throw noSpace()
    else Atomics.wait(clock, 0, 0, 1)
  }
}

/** Returns 0 if the system interrupted or postponed the write. */
function writeSome(fd: number, bytes: Uint8Array, write: WriteOnce): number {
  try {
    return write(fd, bytes)
  } catch (error) {
    if (getCode(error) === 'EINTR' || getCode(error) === 'EAGAIN') return 0
    throw error
  }
}

/** For a disk that accepts nothing and reports no error. */
function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: the disk took only a part of the data, write'), {
    code: 'ENOSPC',
    syscall: 'write',
  })
}

export interface AppendDisk {
  write: WriteOnce
  truncate(fd: number, size: number): void
}

const ownDisk: AppendDisk = { write: writeOnce, truncate: ftruncateSync }

/**
 * The end of a file to which one process appends. A failed append leaves the file unchanged, because half a line would
 * corrupt the next one. If the disk refuses even that, the next append cuts off the half line first, or fails.
 */
export class FileEnd {
  readonly #fd: number
  readonly #disk: AppendDisk
  #size: number
  #tornBytes = 0

  /** `size`: how many complete bytes the file has. */
  constructor(fd: number, size: number, disk: AppendDisk = ownDisk) {
    this.#fd = fd
    this.#size = size
    this.#disk = disk
  }

  get size(): number {
    return this.#size
  }

  append(content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    if (this.#tornBytes > 0) this.#cutTorn()
    let position = 0
    try {
      writeAll(this.#fd, bytes, (fd, rest) => {
        const count = this.#disk.write(fd, rest)
        position += count
        return count
      })
    } catch (error) {
      this.#tornBytes = position
      this.#tryCut()
      throw error
    }
    this.#size += bytes.length
  }

  /** Removes the last bytes, which the disk could not keep. */
  takeBack(bytes: number): void {
    this.#size -= bytes
    this.#tornBytes += bytes
    this.#tryCut()
  }

  #tryCut(): void {
    try {
      if (this.#tornBytes > 0) this.#cutTorn()
    } catch {
      // The caller gets the error of the write. The next append tries again.
    }
  }

  /** A file with more bytes than this process wrote belongs to another process by now, so leave it alone. */
  #cutTorn(): void {
    const { size } = fstatSync(this.#fd)
    if (size > this.#size + this.#tornBytes)
      throw new Error("Another process is writing to the file, so it wasn't truncated.")
    if (size > this.#size) this.#disk.truncate(this.#fd, this.#size)
    this.#tornBytes = 0
  }
}

export interface CreateOptions {
  mode?: number | undefined
  /** Waits until the content is on the disk. */
  sync?: boolean | undefined
  write?: WriteOnce | undefined
}

/** Creates a file with all of this content, or none. Fails with `EEXIST` if the file exists. */
export function createWhole(path: string, content: string | Uint8Array, options: CreateOptions = {}): void {
  const { mode, sync, write } = options
  const fd = openSync(path, 'wx', mode)
  try {
    writeAll(fd, content, write)
    if (sync === true) fdatasyncSync(fd)
  } catch (error) {
    removeOwn(path, fd)
    throw error
  } finally {
    closeSync(fd)
  }
}

/** Removes a file that this process has just created, unless another file has taken its name. */
function removeOwn(path: string, fd: number): void {
  try {
    const current = openSync(path, 'r')
    const isOwn = fstatSync(current).ino === fstatSync(fd).ino
    closeSync(current)
    if (isOwn) unlinkSync(path)
  } catch {
    // The caller gets the original error.
  }
}
