import { createHash } from 'node:crypto'
import { constants, readFileSync, type Stats, statSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ArgotError, isToolPart } from 'argot'
import { nextFileNumber, type TranscriptRecord, type Written, writeChatMd } from 'argot/chatmd'
import { createFile, cutBack, type Disk, isSystemError, syncFolder, syncPath, writeAll } from './disk.ts'
import { listFolder } from './run-log-file.ts'

/** How often the number of a file is chosen anew when others write into the same folder. */
const attempts = 100
/** Files that are brought to the disk at a time: as many as Node has threads for it. More wait for each other. */
const syncsAtOnce = 4

/**
 * A document to which whole elements are appended, one write each time. The files that they refer to are there before
 * they are.
 */
export class AppendedDocument {
  readonly file: string
  /** The folder of the files beside it. */
  readonly folder: string
  readonly #disk: Disk
  readonly #fd: number
  readonly #inode: number
  /** The number of the files of each call, by its key. */
  readonly #numbers: Map<string, number>
  /** The next number that no file has; found out when it is first needed. */
  #number: number | undefined
  #source: string
  /** The last character of it, which is not looked up: the text may be long. */
  #after: string
  #size: number
  /** The document is not what it was left as, or could not be written: nothing more is appended. */
  #failure: unknown
  #dirty = false
  /** Files beside it that the disk may not have yet. */
  #unsynced: string[] = []

  constructor(disk: Disk, file: string, source: string, numbers: Map<string, number>) {
    this.#disk = disk
    this.file = file
    this.folder = join(dirname(file), '.chatmd')
    this.#fd = disk.open(file, constants.O_WRONLY | constants.O_APPEND)
    this.#source = source
    this.#after = source.slice(-1)
    this.#size = Buffer.byteLength(source)
    this.#inode = statSync(file).ino
    this.#numbers = numbers
  }

  get source(): string {
    return this.#source
  }

  get size(): number {
    return this.#size
  }

  /** Nothing can be appended any more; the log alone goes on. */
  get lost(): boolean {
    return this.#failure !== undefined
  }

  /** The SHA-256 of the document, or of its first bytes. */
  digest(size: number = this.#size): string {
    return digestOf(Buffer.from(this.#source).subarray(0, size))
  }

  /**
   * Appends the elements of these records. Throws `RUN_FILE_CHANGED` when another program has changed the document;
   * from then on it is left alone.
   */
  append(records: readonly TranscriptRecord[], payloads: 'inline' | 'external'): void {
    if (this.#failure !== undefined) throw this.#failure
    try {
      this.#checkUnchanged()
      const written = this.#writeFiles(records, payloads)
      this.#appendText(written.append)
      this.#number = written.number
      this.#noteNumbers(records, written.numbers)
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  async sync(): Promise<void> {
    const files = this.#unsynced.splice(0)
    const dirty = this.#dirty
    this.#dirty = false
    try {
      for (let at = 0; at < files.length; at += syncsAtOnce) {
        await Promise.all(files.slice(at, at + syncsAtOnce).map(path => syncPath(this.#disk, path)))
      }
      if (files.length > 0) await syncFolder(this.#disk, this.folder)
      if (dirty) await this.#disk.sync(this.#fd)
    } catch (error) {
      this.#unsynced = [...files, ...this.#unsynced]
      this.#dirty ||= dirty
      throw error
    }
  }

  /** The disk may not have this file yet. */
  noteFile(path: string): void {
    this.#unsynced.push(path)
  }

  close(): void {
    this.#disk.close(this.#fd)
  }

  #noteNumbers(records: readonly TranscriptRecord[], numbers: ReadonlyMap<string, number>): void {
    for (const record of records) {
      if (record.type === 'part' && isToolPart(record.part)) this.#numbers.delete(record.part.toolInvocation.key)
    }
    for (const [key, number] of numbers) this.#numbers.set(key, number)
  }

  #appendText(text: string): void {
    const bytes = Buffer.from(text)
    this.#dirty = true
    try {
      writeAll(this.#disk, this.#fd, bytes)
    } catch (error) {
      cutBack(this.#disk, this.#fd, this.#size)
      throw error
    }
    this.#size += bytes.length
    this.#source += text
    this.#after = '\n'
  }

  /** Makes the files of the records, each with a name of its own, and gives the text that refers to them. */
  #writeFiles(records: readonly TranscriptRecord[], payloads: 'inline' | 'external'): Written {
    this.#number ??= nextFileNumber(listFolder(this.folder))
    let numbered = this.#withNumbers(records)
    for (let attempt = 0; ; attempt++) {
      const written = writeChatMd(numbered, { payloads, number: this.#number, after: this.#after })
      const made: string[] = []
      try {
        for (const { path, text } of written.files) this.#createPayload(join(dirname(this.file), path), text, made)
        this.#unsynced.push(...made)
        return written
      } catch (error) {
        if (!isSystemError(error, 'EEXIST') || attempt === attempts) throw error
        for (const path of made) unlinkSync(path)
        this.#number = Math.max(this.#number + 1, nextFileNumber(listFolder(this.folder)))
        numbered = records
      }
    }
  }

  /** A file that a crash left without a reference serves, where it says the same. */
  #createPayload(path: string, text: string, made: string[]): void {
    try {
      createFile(this.#disk, path, text)
      made.push(path)
    } catch (error) {
      if (!isSystemError(error, 'EEXIST') || readFileSync(path, 'utf8') !== text) throw error
      this.#unsynced.push(path)
    }
  }

  /** The responses to calls that were written before get the numbers of those. */
  #withNumbers(records: readonly TranscriptRecord[]): readonly TranscriptRecord[] {
    const calls = new Set<string>()
    return records.map(record => {
      if (record.type === 'part' && isToolPart(record.part)) calls.add(record.part.toolInvocation.key)
      if (record.type !== 'response' || calls.has(record.call.key)) return record
      const number = this.#numbers.get(record.call.key)
      return number === undefined ? record : { ...record, number }
    })
  }

  #checkUnchanged(): void {
    let found: Stats | undefined
    try {
      found = statSync(this.file)
    } catch (error) {
      if (!isSystemError(error, 'ENOENT')) throw error
    }
    if (found?.ino === this.#inode && found.size === this.#size) return
    throw new ArgotError(
      'RUN_FILE_CHANGED',
      `\`${basename(this.file)}\` was changed by another program while a run was writing to it, so nothing more is written there. What the run said is in its log; the next run appends it.`,
    )
  }
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
