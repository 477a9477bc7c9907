import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolders } from '@argot/agent/workshop'

/** A file of JSON lines that only grows, one value a line, each on the disk before `append` resolves. */
export class Journal {
  readonly #path: string
  #fd: number | undefined
  /** One write after the other. */
  #last: Promise<void> = Promise.resolve()

  private constructor(path: string) {
    this.#path = path
  }

  /** Opens the journal and gives the values in it. A line that a crash has cut off is taken away. */
  static open<Value>(path: string): { journal: Journal; values: Value[] } {
    makeFolders(dirname(path), 0o700)
    const journal = new Journal(path)
    const fd = openSync(path, 'a+', 0o600)
    journal.#fd = fd
    const bytes = readFileSync(path)
    const whole = bytes.lastIndexOf(10) + 1
    if (whole < bytes.length) ftruncateSync(fd, whole)
    const values: Value[] = []
    for (const line of bytes.toString('utf8', 0, whole).split('\n')) {
      const value = parse<Value>(line)
      if (typeof value === 'object' && value !== null) values.push(value)
    }
    return { journal, values }
  }

  /** Adds a value; resolves when it survives a power failure. */
  append(value: unknown): Promise<void> {
    const next = this.#last.then(() => this.#write(`${JSON.stringify(value)}\n`))
    this.#last = next.catch(() => {})
    return next
  }

  /** The same before anything else happens, without waiting for the disk. */
  appendNow(value: unknown): void {
    writeSync(this.#fd!, Buffer.from(`${JSON.stringify(value)}\n`))
  }

  /** Writes the journal again with these values only. */
  rewrite(values: readonly unknown[]): void {
    const draft = `${this.#path}.tmp`
    const fd = openSync(draft, 'w', 0o600)
    writeSync(fd, Buffer.from(values.map(value => `${JSON.stringify(value)}\n`).join('')))
    fsyncSync(fd)
    closeSync(fd)
    renameSync(draft, this.#path)
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = openSync(this.#path, 'a', 0o600)
  }

  async close(): Promise<void> {
    await this.#last
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  async #write(text: string): Promise<void> {
    if (this.#fd === undefined) throw new Error('The journal is closed.')
    const { size } = fstatSync(this.#fd)
    const bytes = Buffer.from(text)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written)
    } catch (error) {
      // Half a line, as a full disk leaves it, would spoil the next one.
      if (written > 0) ftruncateSync(this.#fd, size)
      throw error
    }
    const handle = await open(this.#path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}

function parse<Value>(line: string): Value | undefined {
  if (line === '') return undefined
  try {
    return JSON.parse(line) as Value
  } catch {
    return undefined
  }
}
