import { createHash, type Hash } from 'node:crypto'
import { constants, existsSync, readFileSync, renameSync, type Stats, statSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ArgotError, isToolPart } from '@argot/core'
import { parseTree, writeChatMd } from '@argot/core/chatmd'
import type {
  ElementRecord,
  TranscriptRecord,
  Tree,
  WriteOptions,
  WriteResult,
  WrittenRecord,
} from '@argot/core/chatmd/internal'
import { decodeUtf8, firstBadByte } from '../../files/decode-text.ts'
import { readWholeDocument } from '../../files/document-file.ts'
import { SourceError } from '../../files/source-error.ts'
import { FileEnd } from '../../files/write-all.ts'
import { toBatch, toRecords } from '../element-records.ts'
import type { OpenDocument, OpenSidecar, Payloads, Sidecar, WrittenElement } from '../store.ts'
import { createPayloads } from './create-payloads.ts'
import { createFile, type Disk, isSystemError, syncFolder, syncPath } from './disk.ts'
import { callNumbers, isPayloadName, listFolder, makeFolder, payloadKind, stateFolder } from './layout.ts'
import { wroteLate } from './lost-lease.ts'
import { UnsyncedFiles } from './unsynced-files.ts'

export interface SidecarAccess {
  open(): Promise<OpenSidecar>
  read(): Promise<Sidecar>
}

/** Appends complete elements, one write each time. The files that they refer to are written first. */
export class DocumentFile implements OpenDocument {
  readonly #disk: Disk
  readonly #file: string
  /** Throws once another process holds the document. */
  readonly #checkLease: () => void
  readonly #folder: string
  readonly #fd: number
  readonly #inode: number
  #callNumberCache: Map<string, number> | undefined
  #nextNumber: number | undefined
  #text: string
  #tree: Tree | undefined
  /** Computed once: searching on every append would make V8 flatten the whole grown string. */
  readonly #newline: '\n' | '\r\n'
  /** Kept because the text may be long. */
  #lastCharacter: string
  #end: FileEnd
  #damage: Damage | undefined
  /** Set if the document was changed by others or couldn't be written. Nothing more is appended then. */
  #failure: unknown
  readonly #sidecarAccess: SidecarAccess
  #sidecar: OpenSidecar | undefined
  #runningHash: Hash | undefined
  #dirty = false
  readonly #unsynced: UnsyncedFiles

  constructor(
    disk: Disk,
    file: string,
    { checkLease, sidecar, most }: { checkLease: () => void; sidecar: SidecarAccess; most?: number | undefined },
  ) {
    this.#disk = disk
    this.#checkLease = checkLease
    this.#sidecarAccess = sidecar
    this.#file = file
    this.#folder = stateFolder(file)
    this.#unsynced = new UnsyncedFiles(disk, this.#folder)
    const bytes = readWholeDocument(file, most)
    const { text, damage } = decode(file, bytes)
    this.#text = text
    this.#newline = getNewline(text)
    this.#damage = damage
    this.#lastCharacter = text.slice(-1)
    this.#fd = disk.open(file, constants.O_WRONLY | constants.O_APPEND)
    this.#end = new FileEnd(this.#fd, bytes.length, disk)
    this.#inode = statSync(file).ino
  }

  get text(): string {
    return this.#text
  }

  get tree(): Tree {
    this.#tree ??= parseTree(this.#text)
    return this.#tree
  }

  get damage(): Error | undefined {
    return this.#damage?.error
  }

  async append(records: readonly TranscriptRecord[], payloads: Payloads, calls = 0): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      this.#checkLease()
      this.#checkUnchanged()
      const numbers = this.#callNumbers
      const batch = this.#writeFiles(records, payloads)
      await this.#keepRecords(batch, records, calls)
      if (batch.append !== '') this.#appendText(batch.append)
      this.#checkInTime()
      this.#nextNumber = batch.number
      updateNumbers(numbers, records, batch.numbers)
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  /** The text from `at` is on disk in its own file, `tails/NAME/N.txt`, before the document is cut. */
  async cut(at: number): Promise<string> {
    this.#checkLease()
    const bytes = Buffer.concat([Buffer.from(this.#text), this.#damage?.bytes ?? Buffer.alloc(0)])
    const prefix = this.#text.slice(0, at)
    const size = Buffer.byteLength(prefix)
    const name = await keepTail(this.#disk, this.#file, bytes.subarray(size))
    this.#checkLease()
    this.#disk.truncate(this.#fd, size)
    await this.#disk.sync(this.#fd)
    this.#text = prefix
    this.#tree = undefined
    this.#runningHash = undefined
    this.#lastCharacter = prefix.slice(-1)
    this.#end = new FileEnd(this.#fd, size, this.#disk)
    this.#damage = undefined
    this.#callNumberCache = undefined
    return `${basename(this.#folder)}/${name}`
  }

  async restore(elements: readonly WrittenElement[], payloads: Payloads): Promise<void> {
    this.#checkLease()
    const existing = new Set(
      toRecords(await this.#sidecarAccess.read()).batches.flatMap(({ elements }) => elements.map(toKey)),
    )
    const missing: WrittenRecord[] = []
    for (const { records, files, text } of elements) {
      const names = files.filter(isPayloadName)
      const number = names.map(fileNumber).find(one => one !== undefined)
      const output = writeChatMd(this.#withNumber(records, number), this.#writeOptions(payloads, number))
      this.#restoreFiles(names, output)
      // If a person changed the text, the record no longer applies to it.
      const matching = output.records.filter(record => record.text === text)
      missing.push(...matching.filter(record => !existing.has(toKey(toReadRecord(record)))))
    }
    if (missing.length === 0) return
    const sidecar = await this.#openedSidecar()
    sidecar.append(toBatch(missing))
    await sidecar.flush()
  }

  #restoreFiles(names: readonly string[], { files }: WriteResult): void {
    for (const name of names) {
      const text = files.find(one => payloadKind(one.path) === payloadKind(name))?.text
      const path = join(dirname(this.#file), name)
      if (text !== undefined && restoreFile(this.#disk, path, text)) this.#unsynced.add(path)
    }
  }

  /** A response uses the number of its call's files. */
  #withNumber(records: readonly TranscriptRecord[], number: number | undefined): readonly TranscriptRecord[] {
    if (number === undefined) return records
    return records.map(record => (record.type === 'response' ? { ...record, number } : record))
  }

  async #openedSidecar(): Promise<OpenSidecar> {
    this.#sidecar ??= await this.#sidecarAccess.open()
    return this.#sidecar
  }

  /** The records of elements are written before the elements. */
  async #keepRecords(batch: WriteResult, records: readonly TranscriptRecord[], calls: number): Promise<void> {
    if (batch.records.length === 0) return
    const sidecar = await this.#openedSidecar()
    sidecar.append(
      toBatch(batch.records, {
        at: this.#end.size,
        size: Buffer.byteLength(batch.append),
        before: this.#hash,
        calls,
      }),
    )
    // A repeated message is recognized by its id, so that record must never be missing.
    await (records.some(({ type }) => type === 'message') ? sidecar.sync() : sidecar.flush())
  }

  async sync(): Promise<void> {
    await this.#sidecar?.sync()
    const dirty = this.#dirty
    this.#dirty = false
    try {
      await (dirty ? this.#unsynced.sync(() => this.#disk.sync(this.#fd)) : this.#unsynced.sync())
    } catch (error) {
      this.#dirty ||= dirty
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#sidecar?.close()
    this.#unsynced.close()
    this.#disk.close(this.#fd)
  }

  /** A folder can't check and write in one atomic step, so a change in between is noticed afterwards. */
  #checkInTime(): void {
    try {
      this.#checkLease()
    } catch (error) {
      const isReplaced = error instanceof ArgotError && error.code === 'RUN_LEASE_LOST'
      throw isReplaced ? wroteLate(basename(this.#file)) : error
    }
  }

  get #callNumbers(): Map<string, number> {
    this.#callNumberCache ??= callNumbers(this.tree)
    return this.#callNumberCache
  }

  get #hash(): string {
    this.#runningHash ??= createHash('sha256').update(this.#text)
    return this.#runningHash.copy().digest('base64url').slice(0, 22)
  }

  #appendText(text: string): void {
    this.#runningHash?.update(text)
    this.#dirty = true
    this.#end.append(text)
    this.#text += text
    this.#tree = undefined
    this.#lastCharacter = '\n'
  }

  /** Returns the text that refers to the files. */
  #writeFiles(records: readonly TranscriptRecord[], payloads: Payloads): WriteResult {
    const numbered = this.#withNumbers(records)
    return createPayloads(this.#disk, this.#file, this.#nextNumber, this.#unsynced, (number, isFirst) =>
      writeChatMd(isFirst ? numbered : records, this.#writeOptions(payloads, number)),
    )
  }

  #writeOptions(payloads: Payloads, number: number | undefined): WriteOptions {
    const options = { payloads, after: this.#lastCharacter, newline: this.#newline, bookkeeping: 'apart' } as const
    return number === undefined ? options : { ...options, number }
  }

  /** Responses to calls that were written earlier use the numbers of those calls. */
  #withNumbers(records: readonly TranscriptRecord[]): readonly TranscriptRecord[] {
    const calls = new Set<string>()
    return records.map(record => {
      if (record.type === 'part' && isToolPart(record.part)) calls.add(record.part.toolInvocation.key)
      if (record.type !== 'response' || calls.has(record.call.key)) return record
      const number = this.#callNumbers.get(record.call.key)
      return number === undefined ? record : { ...record, number }
    })
  }

  #checkUnchanged(): void {
    let stats: Stats | undefined
    try {
      stats = statSync(this.#file)
    } catch (error) {
      if (!isSystemError(error, 'ENOENT')) throw error
    }
    if (stats?.ino === this.#inode && stats.size === this.#end.size) return
    throw new ArgotError(
      'RUN_FILE_CHANGED',
      `\`${basename(this.#file)}\` was changed by another program while a run was writing to it, so the run stopped writing there. The run's output is in its log, and the next run appends it.`,
    )
  }
}

interface Damage {
  bytes: Uint8Array
  error: ArgotError
}

/** The text of the bytes. If only the last character is incomplete, as after a crash, it becomes `damage`. */
function decode(file: string, bytes: Buffer): { text: string; damage?: Damage } {
  const options = { name: file, keepBom: true, allowNul: true }
  try {
    return { text: decodeUtf8(bytes, options) }
  } catch (thrown) {
    if (!(thrown instanceof SourceError)) throw thrown
    const { code, message, cure } = thrown.problem
    const error = new ArgotError(code, cure === undefined ? message : `${message} ${cure}`)
    const badByte = firstBadByte(bytes)
    if (badByte < bytes.length - 3 || bytes[badByte]! < 0xc2) throw error
    return { text: decodeUtf8(bytes.subarray(0, badByte), options), damage: { bytes: bytes.subarray(badByte), error } }
  }
}

/** Writes the removed bytes into a new file, and waits until it is on disk. */
async function keepTail(disk: Disk, file: string, bytes: Uint8Array): Promise<string> {
  const folder = await makeFolder(disk, file, 'tails', basename(file))
  const numbers = listFolder(folder).map(name => Number(/^([0-9]{1,15})\.txt$/.exec(name)?.[1] ?? -1))
  for (let number = numbers.reduce((most, one) => Math.max(most, one), -1) + 1; ; number++) {
    const name = `${number}.txt`
    try {
      createFile(disk, join(folder, name), bytes)
    } catch (error) {
      if (isSystemError(error, 'EEXIST')) continue
      throw error
    }
    await syncPath(disk, join(folder, name))
    await syncFolder(disk, folder)
    return `tails/${basename(file)}/${name}`
  }
}

/** True if the file was written because it was missing or incomplete. */
function restoreFile(disk: Disk, path: string, text: string): boolean {
  if (existsSync(path)) {
    const content = readFileSync(path)
    const bytes = Buffer.from(text)
    if (content.length >= bytes.length || !content.equals(bytes.subarray(0, content.length))) return false
  }
  const draft = `${path}.tmp`
  if (existsSync(draft)) unlinkSync(draft)
  createFile(disk, draft, text)
  renameSync(draft, path)
  return true
}

function getNewline(text: string): '\n' | '\r\n' {
  const at = text.indexOf('\n')
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n'
}

/** Two records with the same key say the same about the same text. */
function toKey(record: ElementRecord): string {
  return record.hash ?? JSON.stringify(record)
}

function toReadRecord(record: WrittenRecord): ElementRecord {
  return toRecords({ records: [{ value: toBatch([record]), isSigned: true }] }).batches[0]!.elements[0]!
}

function fileNumber(name: string): number | undefined {
  const number = /(?:^|\/)([0-9]{1,15})\.[^/]*$/.exec(name)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Adds the file numbers of calls that were just written. A call without its own file loses its number. */
function updateNumbers(
  numbers: Map<string, number>,
  records: readonly TranscriptRecord[],
  added: ReadonlyMap<string, number>,
): void {
  for (const record of records) {
    if (record.type === 'part' && isToolPart(record.part)) numbers.delete(record.part.toolInvocation.key)
  }
  for (const [key, number] of added) numbers.set(key, number)
}
