import { closeSync, openSync } from 'node:fs'
import type { LogLine } from '@argot/core/stream'
import { isChunk, logHeader } from '@argot/core/stream/internal'
import { markData, resumeMark } from '../marks.ts'
import { isSystemError } from './disk.ts'
import { type FileLine, LineReader } from './line-reader.ts'
import { SignatureCheck } from './signature-check.ts'

export interface LogFacts {
  /** Without lines of processes that had lost the document, and without lines that a later process disowned. */
  count: number
  /** How many of them this user's signatures cover. */
  believed: number
  /** The offset of the last of those; -1 if there is none. */
  lastBelieved: number
  signature: string | undefined
  epoch: number
  /** The offset of the next line. */
  next: number
  /** The size of the complete lines in bytes. The last line may lack its newline. */
  size: number
  lacksNewline: boolean
  /**
   * Ranges of lines that a later process disowned, by their number. Lines of processes that had lost the document have
   * no number. The end is exclusive.
   */
  disowned: readonly (readonly [from: number, before: number])[]
  /** All lines of a short log, so that reading it several times reads the file once. */
  lines?: readonly string[] | undefined
}

/** Scanned logs up to this many characters stay in memory. */
const SHORT_LOG = 1024 * 1024

/** Reads a log in pieces and checks who wrote it. Undefined if the file doesn't exist. */
export function scanLog(path: string, key: Uint8Array | undefined): LogFacts | undefined {
  const fd = openLog(path)
  if (fd === undefined) return undefined
  try {
    const scan = new LogScan(key)
    const reader = new LineReader(fd)
    let shortLines: string[] | undefined = []
    let room = SHORT_LOG
    for (let lines = reader.next(); lines.length > 0; lines = reader.next()) {
      for (const line of lines) {
        scan.push(line)
        const text = 'text' in line ? line.text : ''
        room -= text.length
        if (room < 0) shortLines = undefined
        else shortLines?.push(text)
      }
    }
    // Truncated JSON never parses, so a last line that parses only lacks its newline.
    const rest = reader.rest()
    const lacksNewline = rest !== '' && (rest === logHeader || parseLine(rest) !== undefined)
    if (lacksNewline) {
      scan.push({ text: rest })
      if (rest.length > room) shortLines = undefined
      else shortLines?.push(rest)
    }
    return {
      ...scan.result(),
      size: reader.position + (lacksNewline ? Buffer.byteLength(rest) : 0),
      lacksNewline,
      lines: shortLines,
    }
  } finally {
    closeSync(fd)
  }
}

/** The valid lines. A long log is read from the file again, which must not get shorter meanwhile. */
export function* readScanned(path: string, { disowned, count, lines }: LogFacts): Generator<LogLine> {
  const ranges = [...disowned]
  let epoch = 1
  let number = 0
  let remaining = count
  const take = (text: string): LogLine | undefined => {
    const line = parseLine(text)
    if (line === undefined) return undefined
    if (line.chunk.type === resumeMark && line.epoch > epoch) epoch = line.epoch
    else if (line.chunk.type !== resumeMark && line.epoch !== epoch) return undefined
    const index = number++
    while (ranges.length > 0 && ranges[0]![1] <= index) ranges.shift()
    if (ranges.length > 0 && ranges[0]![0] <= index) return undefined
    const { o, t, chunk } = line
    return { o, t, chunk }
  }
  if (remaining === 0) return
  for (const text of lines ?? readTexts(path)) {
    const line = text === '' ? undefined : take(text)
    if (line === undefined) continue
    yield line
    if (--remaining === 0) return
  }
}

function* readTexts(path: string): Generator<string> {
  const fd = openLog(path)
  if (fd === undefined) return
  try {
    const reader = new LineReader(fd)
    for (let lines = reader.next(); lines.length > 0; lines = reader.next()) {
      for (const line of lines) yield 'text' in line ? line.text : ''
    }
    yield reader.rest()
  } finally {
    closeSync(fd)
  }
}

function openLog(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EISDIR')) return undefined
    throw error
  }
}

class LogScan {
  readonly #check: SignatureCheck
  /** Includes disowned lines. */
  #number = 0
  #count = 0
  #believed = 0
  #believedNumber = 0
  readonly #disowned: [from: number, before: number][] = []
  #epoch = 1
  #next = 0

  constructor(key: Uint8Array | undefined) {
    this.#check = new SignatureCheck(key)
  }

  push(fileLine: FileLine): void {
    if ('isTooLong' in fileLine) return this.#check.doubt()
    const { text } = fileLine
    if (text === '') return
    const line = parseLine(text)
    if (line === undefined) return this.#check.cover(text)
    if (line.chunk.type === resumeMark) this.#resume(line)
    else if (line.epoch !== this.#epoch) return
    this.#next = Math.max(this.#next, line.o + 1)
    this.#number++
    this.#count++
    if (!this.#check.push(text, line.o)) return
    this.#believed = this.#count
    this.#believedNumber = this.#number
  }

  result(): Omit<LogFacts, 'size' | 'lacksNewline'> {
    const { lastOffset, signature } = this.#check
    return {
      count: this.#count,
      believed: this.#believed,
      lastBelieved: lastOffset,
      signature,
      epoch: this.#epoch,
      next: this.#next,
      disowned: this.#disowned,
    }
  }

  /** The next signature doesn't cover the lines since the last good one, so they aren't valid. */
  #resume({ epoch, chunk }: ParsedLine): void {
    if (epoch <= this.#epoch) return
    this.#epoch = epoch
    if (!this.#check.resume(markData(chunk).after)) return
    if (this.#number > this.#believedNumber) this.#disowned.push([this.#believedNumber, this.#number])
    this.#count = this.#believed
  }
}

interface ParsedLine extends LogLine {
  epoch: number
}

/** Undefined for the first line, and for anything that isn't a log line. */
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
