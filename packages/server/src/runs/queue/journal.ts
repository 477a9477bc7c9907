import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { FileEnd, makeFolders, writeAll } from '@argot/agent/internal'

const syncFile = promisify(fsync)

/** How a journal writes; a test puts a disk in its place that takes less than it gets. */
export interface JournalDisk {
  write(fd: number, bytes: Uint8Array): number
  truncate(fd: number, size: number): void
  sync(fd: number): Promise<void>
  syncNow(fd: number): void
}

export interface JournalOptions {
  /** Throws when this process may not write any more; asked before another file takes the journal's place. */
  check?: (() => void) | undefined
  disk?: JournalDisk | undefined
}

/** A file of JSON lines that only grows, one value a line, each on the disk before `append` resolves. */
export class Journal {
  readonly #path: string
  readonly #check: () => void
  readonly #disk: JournalDisk | undefined
  #fd: number
  #end: FileEnd
  #isClosed = false
  /** One write after the other. */
  #last: Promise<void> = Promise.resolve()

  private constructor(path: string, fd: number, size: number, { check = () => {}, disk }: JournalOptions) {
    this.#path = path
    this.#check = check
    this.#disk = disk
    this.#fd = fd
    this.#end = new FileEnd(fd, size, disk)
  }

  /** Opens the journal and gives the values in it. A line that a crash has cut off is taken away. */
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

  /** Adds a value; resolves when it survives a power failure. A value that is refused is not in the journal. */
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

  /** The same before anything else happens, without waiting for the disk. Only before the first `append`. */
  appendNow(value: unknown): void {
    this.#add(value)
  }

  /**
   * Writes the journal again with the values that `select` keeps of those in it. The new file is whole and on the disk
   * before it takes the place of the old one: whatever fails, the old one stays, and `rewrite` rejects. Waits for the
   * appends before it; those after it wait for it.
   */
  rewrite<Value>(select: (values: Value[]) => readonly unknown[]): Promise<void> {
    return this.#inTurn(async () => this.rewriteNow(select))
  }

  /** The same before anything else happens. Only before the first `append`. */
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
    await this.#last
    if (!this.#isClosed) closeSync(this.#fd)
    this.#isClosed = true
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.#last.then(() => {
      if (this.#isClosed) throw new Error('The journal is closed.')
      return work()
    })
    this.#last = next.catch(() => {})
    return next
  }

  /** Gives how many bytes it took. */
  #add(value: unknown): number {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`)
    this.#end.append(bytes)
    return bytes.length
  }
}

/** The values of the complete lines, and how many bytes those have. */
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

/** Those of processes that died while they wrote the journal again. */
function removeDrafts(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(`${basename(path)}.`) && name.endsWith('.tmp')) removeQuietly(join(dirname(path), name))
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It takes space and is never read.
  }
}

/** Systems that cannot sync a folder need not. */
function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    // The name may be the old one after a power failure; that file is whole as well.
  }
}
