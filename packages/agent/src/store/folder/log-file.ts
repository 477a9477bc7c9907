import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { ArgotError, type Chunk } from 'argot'
import { chunkFacts, isChunk, type LogLine, logHeader, parseLog } from 'argot/stream'
import { stateAfter } from '../log-end.ts'
import { mark, markData, resumeMark } from '../marks.ts'
import { Seal } from '../seal.ts'
import type { RunLog } from '../store.ts'
import { cutBack, type Disk, isSystemError, syncFolder, writeAll } from './disk.ts'
import type { LocalWriters } from './local-writers.ts'
import { SignatureCheck } from './signature-check.ts'

/** What a log needs of the folder it is in. */
export interface LogPlace {
  disk: Disk
  path: string
  /** The folder of the file. */
  folder: string
  key: Uint8Array | undefined
  now: () => number
  /** Throws once another process holds the document. */
  checkLease: () => void
  /** Who here follows the file is told through it. */
  writers: LocalWriters
}

/** So long a process that has lost the document may still write lines, which nobody reads: they have an old epoch. */
const CHECK_EVERY_MS = 50

/** True for pieces of what a later chunk of the same step completes. They need no signature of their own. */
function isPiece(chunk: Chunk): boolean {
  const { on, does } = chunkFacts(chunk)
  return does === 'grows' || (does === 'opens' && on !== 'message' && on !== 'step')
}

/** A log that is being written: one line a chunk, `{ o, t, chunk }`, and a signature on every line that decides something. */
export class LogFile implements RunLog {
  readonly #place: LogPlace
  readonly #fd: number
  readonly #ended: () => void
  readonly #seal: Seal | undefined
  /** Whose lines these are: 1 for the first process that writes the log, one more for each that continues it. */
  readonly #epoch: number
  /** How many bytes the file has that are known to be complete. */
  #size: number
  #offset: number
  /** What is not written yet. */
  #buffer = ''
  #dirty = true
  #isNew: boolean
  /** When the lease is looked at again. */
  #nextCheck = 0

  private constructor(place: LogPlace, fd: number, log: LogText | undefined) {
    this.#place = place
    this.#fd = fd
    this.#ended = place.writers.begin(place.path)
    this.#isNew = log === undefined || isEmpty(log)
    this.#size = this.#isNew ? 0 : log!.size
    this.#offset = log?.next ?? 0
    // What somebody else wrote is not made ours by what is written after it.
    const isOurs = this.#isNew || log!.believed > 0
    this.#epoch = log === undefined ? 1 : log.epoch + (isOurs && place.key !== undefined ? 1 : 0)
    this.#seal = isOurs && place.key !== undefined ? new Seal(place.key, log?.signature) : undefined
  }

  /** Makes the log of a run; one that is there is continued, without the piece of a line that a crash has left. */
  static open(place: LogPlace): LogFile {
    const { disk, path } = place
    const found = readLogText(path, place.key)
    if (found === undefined) {
      const log = new LogFile(place, disk.open(path, 'ax'), undefined)
      log.#add(logHeader)
      return log
    }
    const log = new LogFile(place, disk.open(path, 'a'), found)
    disk.truncate(log.#fd, log.#size)
    if (isEmpty(found)) log.#buffer = `${logHeader}\n`
    else if (found.unended) log.#buffer = '\n'
    if (log.#seal !== undefined) {
      log.append(mark(resumeMark, { epoch: log.#epoch, after: found.lastBelieved }))
      // From here on nobody reads what a process writes that had the document before.
      log.#writeBuffer()
    }
    return log
  }

  append(chunk: Chunk, time: number = this.#place.now()): number {
    const offset = this.#offset++
    const epoch = this.#epoch === 1 ? '' : `"e":${this.#epoch},`
    const text = `{"o":${offset},"t":${time},${epoch}"chunk":${JSON.stringify(chunk)}`
    if (this.#seal === undefined || isPiece(chunk)) this.#add(`${text}}`)
    else {
      this.#seal.add(text)
      this.#buffer += `${text},"m":"${this.#seal.sign()}"}\n`
    }
    return offset
  }

  #add(line: string): void {
    this.#seal?.add(line)
    this.#buffer += `${line}\n`
  }

  /** Not waited for: when the system has taken the bytes, the death of this process cannot take them back. */
  async flush(): Promise<void> {
    if (this.#buffer === '') return
    this.#checkLease(false)
    this.#writeBuffer()
  }

  #writeBuffer(): void {
    const { disk } = this.#place
    const bytes = Buffer.from(this.#buffer)
    this.#dirty = true
    try {
      writeAll(disk, this.#fd, bytes)
    } catch (error) {
      // A full disk takes half a line; the next try must not be after it.
      cutBack(disk, this.#fd, this.#size)
      throw error
    }
    this.#buffer = ''
    this.#size += bytes.length
    this.#place.writers.written(this.#place.path)
  }

  async sync(): Promise<void> {
    await this.flush()
    if (!this.#dirty) return
    this.#checkLease(true)
    this.#dirty = false
    const { disk, folder } = this.#place
    try {
      await disk.sync(this.#fd)
      if (this.#isNew) await syncFolder(disk, folder)
      this.#isNew = false
    } catch (error) {
      this.#dirty = true
      throw error
    }
  }

  async close(): Promise<void> {
    this.#ended()
    this.#place.disk.close(this.#fd)
  }

  /** Looking at the lock costs more than writing a line: between two syncs it is done now and then. */
  #checkLease(isDue: boolean): void {
    const now = performance.now()
    if (!isDue && now < this.#nextCheck) return
    this.#place.checkLease()
    this.#nextCheck = now + CHECK_EVERY_MS
  }
}

/** The text of a log, read. */
export interface LogText {
  /** The lines that count: those of processes that had lost the document do not, nor what a later process disowned. */
  lines: LogLine[]
  /** How many of them are covered by a signature of this user. */
  believed: number
  /** The offset of the last of those; -1 where there is none. */
  lastBelieved: number
  /** The last good signature. */
  signature: string | undefined
  /** Of the last process that wrote it. */
  epoch: number
  /** The offset of the next line. */
  next: number
  /** How many bytes of it are complete lines, the last of which may lack its newline. */
  size: number
  unended: boolean
}

/** Whoever made it died before it said anything. */
function isEmpty({ lines }: LogText): boolean {
  return lines.length === 0
}

/** Undefined where there is no such file. */
export function readLogText(path: string, key: Uint8Array | undefined): LogText | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EISDIR')) return undefined
    throw error
  }
  const whole = bytes.lastIndexOf(10) + 1
  // JSON that was cut off is never JSON: a last line that can be read lacks its newline only.
  const rest = bytes.toString('utf8', whole)
  const unended = rest !== '' && (rest === logHeader || parseLine(rest) !== undefined)
  const size = unended ? bytes.length : whole
  const reader = new LogReader(key)
  for (const line of bytes.toString('utf8', 0, size).split('\n')) if (line !== '') reader.push(line)
  return { ...reader.result(), size, unended }
}

/** Reads a log line by line and checks who wrote it. */
class LogReader {
  readonly #check: SignatureCheck
  readonly #lines: LogLine[] = []
  #believed = 0
  #epoch = 1
  #next = 0

  constructor(key: Uint8Array | undefined) {
    this.#check = new SignatureCheck(key)
  }

  push(text: string): void {
    const line = parseLine(text)
    if (line === undefined) return this.#check.skip(text)
    if (line.chunk.type === resumeMark) this.#resume(line)
    else if (line.epoch !== this.#epoch) return
    const { o, t, chunk } = line
    this.#next = Math.max(this.#next, o + 1)
    this.#lines.push({ o, t, chunk })
    if (this.#check.push(text, o)) this.#believed = this.#lines.length
  }

  result(): Omit<LogText, 'size' | 'unended'> {
    const { last, signature } = this.#check
    return {
      lines: this.#lines,
      believed: this.#believed,
      lastBelieved: last,
      signature,
      epoch: this.#epoch,
      next: this.#next,
    }
  }

  /** The lines since the last good signature are not covered by the next one, so they do not count. */
  #resume({ epoch, chunk }: ParsedLine): void {
    if (epoch <= this.#epoch) return
    this.#epoch = epoch
    if (this.#check.resume(markData(chunk).after)) this.#lines.length = this.#believed
  }
}

interface ParsedLine extends LogLine {
  epoch: number
}

/** Undefined for the first line and for what is not a line of a log. */
export function parseLine(text: string): ParsedLine | undefined {
  let value: Partial<LogLine & { e: number }> | null
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || !isChunk(value.chunk)) return undefined
  const { o, t, e = 1, chunk } = value
  if (!Number.isSafeInteger(o) || !Number.isFinite(t) || !Number.isSafeInteger(e)) return undefined
  return { o: o!, t: t!, chunk, epoch: e }
}

/** More than the last lines of a log have that decide its state. */
const TAIL_LENGTH = 4096

/** How a log ends, from its last lines alone: nothing is believed of it. */
export function readLogEnd(path: string): 'ended' | 'waiting' | 'open' {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(TAIL_LENGTH)
    const length = readSync(fd, bytes, 0, TAIL_LENGTH, Math.max(0, fstatSync(fd).size - TAIL_LENGTH))
    const lines = parseLog(bytes.toString('utf8', 0, length)).lines
    return stateAfter(lines.at(-1)?.chunk)
  } finally {
    closeSync(fd)
  }
}

export function leaseLost(name: string): ArgotError {
  const message = `Another process has taken \`${name}\` over, so this run writes nothing more.`
  return new ArgotError('RUN_LEASE_LOST', message)
}
