import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { FileEnd, listBeside, makeFolders, writeAll } from '@argot/agent/internal'

const syncFile = promisify(fsync)

/** How a journal writes. A test replaces it with a disk that writes less than it gets. */
export interface JournalDisk {
  write(fd: number, bytes: Uint8Array): number
  truncate(fd: number, size: number): void
  sync(fd: number): Promise<void>
  syncNow(fd: number): void
}

export interface JournalOptions {
  /** Throws if this process may no longer write. Called before another file replaces the journal. */
  check?: (() => void) | undefined
  disk?: JournalDisk | undefined
}

/** An append-only file with one JSON value per line. Each value is on disk before `append` resolves. */
export class Journal {
  readonly #path: string
  readonly #check: () => void
  readonly #disk: JournalDisk | undefined
  #fd: number
  #end: FileEnd
  #isClosed = false
  #lastWrite: Promise<void> = Promise.resolve()

  private constructor(path: string, fd: number, size: number, { check = () => {}, disk }: JournalOptions) {
    this.#path = path
    this.#check = check
    this.#disk = disk
    this.#fd = fd
    this.#end = new FileEnd(fd, size, disk)
  }

  /** Opens the journal and returns its values. Removes a line that a crash cut off. */
  static open<Value>(path: string, options: JournalOptions = {}): { journal: Journal; values: Value[] } {
    makeFolders(dirname(path), 0o700)
    removeDrafts(path)
    const fd = openSync(path, 'a+', 0o600)
    try {
      const { values, size } = readValues<Value>(path)
      if (size < fstatSync(fd).size) ftruncateSync(fd, size)
      return { journal: new Journal(path, fd, size, options), values }
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }

  /** Adds a value. Resolves when it survives a power failure. A rejected value isn't in the journal. */
  append(value: unknown): Promise<void> {
    return this.#inTurn(async () => {
      const bytes = this.#add(value)
      try {
        await (this.#disk?.sync(this.#fd) ?? syncFile(this.#fd))
      } catch (error) {
        this.#end.takeBack(bytes)
        throw error
      }
    })
  }

  /** The same, synchronously and without waiting for the disk. Only before the first `append`. */
  appendNow(value: unknown): void {
    this.#add(value)
  }

  /**
   * Rewrites the journal with the values that `select` keeps. The new file is complete and on disk before it replaces
   * the old one: if anything fails, the old one stays, and `rewrite` rejects. Waits for earlier appends; later ones
   * wait for it.
   */
  rewrite<Value>(select: (values: Value[]) => readonly unknown[]): Promise<void> {
    return this.#inTurn(async () => this.rewriteNow(select))
  }

  /** The same, synchronously. Only before the first `append`. */
  rewriteNow<Value>(select: (values: Value[]) => readonly unknown[]): void {
    const { values } = readValues<Value>(this.#path)
    const text = Buffer.from(
      select(values)
        .map(value => `${JSON.stringify(value)}\n`)
        .join(''),
    )
    const draft = `${this.#path}.${randomUUID()}.tmp`
    const fd = openSync(draft, 'ax', 0o600)
    try {
      writeAll(fd, text, this.#disk?.write.bind(this.#disk))
      if (this.#disk === undefined) fsyncSync(fd)
      else this.#disk.syncNow(fd)
      this.#check()
      renameSync(draft, this.#path)
    } catch (error) {
      closeSync(fd)
      removeQuietly(draft)
      throw error
    }
    closeSync(this.#fd)
    this.#fd = fd
    this.#end = new FileEnd(fd, text.length, this.#disk)
    syncFolder(dirname(this.#path))
  }

  async close(): Promise<void> {
    await this.#lastWrite
    if (!this.#isClosed) closeSync(this.#fd)
    this.#isClosed = true
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.#lastWrite.then(() => {
      if (this.#isClosed) throw new Error('The journal is closed.')
      return work()
    })
    this.#lastWrite = next.catch(() => {})
    return next
  }

  #add(value: unknown): number {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`)
    this.#end.append(bytes)
    return bytes.length
  }
}

function readValues<Value>(path: string): { values: Value[]; size: number } {
  const bytes = readFileSync(path)
  const size = bytes.lastIndexOf(10) + 1
  const values: Value[] = []
  for (const line of bytes.toString('utf8', 0, size).split('\n')) {
    const value = parse<Value>(line)
    if (typeof value === 'object' && value !== null) values.push(value)
  }
  return { values, size }
}

function parse<Value>(line: string): Value | undefined {
  if (line === '') return undefined
  try {
    return JSON.parse(line) as Value
  } catch {
    return undefined
  }
}

/** Removes drafts of processes that died while rewriting the journal. */
function removeDrafts(path: string): void {
  for (const draft of listBeside(path)) if (draft.endsWith('.tmp')) removeQuietly(draft)
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It takes space but is never read.
  }
}

/** Ignores systems that can't sync a folder. */
function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    // After a power failure the name may still be the old file, which is complete as well.
  }
}
