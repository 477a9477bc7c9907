import { closeSync, openSync, readSync } from 'node:fs'
import { markData, resumeMark } from '../marks.ts'
import type { TailLine } from '../store.ts'
import { isSystemError } from './disk.ts'
import { type FileLine, LineReader } from './line-reader.ts'
import { parseLine } from './scan-log.ts'
import { SignatureCheck } from './signature-check.ts'

const MOST_POSITIONS = 500
/** How many bytes before a position are compared. Lines contain their offset and time, so no two are alike. */
const COMPARED_BYTES = 256

interface TailPosition {
  position: number
  lines: LogLines
  /** The end of the last line that was read. If it is no longer there, this is another file. */
  lastBytes: Buffer
  key: Uint8Array | undefined
}

/** Reads the lines of a log in order, without those of a process that had lost the document. */
export class LogLines {
  readonly #check: SignatureCheck
  #epoch = 1
  #next = 0

  constructor(key: Uint8Array | undefined) {
    this.#check = new SignatureCheck(key)
  }

  get nextOffset(): number {
    return this.#next
  }

  read(lines: readonly FileLine[]): TailLine[] {
    const tail: TailLine[] = []
    for (const line of lines) {
      if ('text' in line) this.#take(line.text, tail)
      else this.#check.doubt()
    }
    return tail
  }

  #take(text: string, lines: TailLine[]): void {
    if (text === '') return
    const line = parseLine(text)
    if (line === undefined) return this.#check.cover(text)
    const { o, t, chunk, epoch } = line
    if (chunk.type === resumeMark && epoch > this.#epoch) {
      this.#epoch = epoch
      this.#check.resume(markData(chunk).after)
    }
    if (epoch !== this.#epoch) return
    this.#next = Math.max(this.#next, o + 1)
    lines.push({ o, t, chunk, isSigned: this.#check.push(text, o) })
  }
}

/** Reads new lines of logs. Asking again after the last line costs no more than reading what is new. */
export class LogTails {
  readonly #positions: Map<string, TailPosition> = new Map()

  /** The next lines from an offset, at most one piece of the file. Empty if there are no more, or no such file. */
  read(path: string, from: number, key: Uint8Array | undefined): TailLine[] {
    let fd: number
    try {
      fd = openSync(path, 'r')
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'EISDIR')) return []
      throw error
    }
    try {
      const cached = this.#positions.get(path)
      const isUsable =
        cached !== undefined && cached.lines.nextOffset <= from && cached.key === key && isSameFile(fd, cached)
      const tail = isUsable ? { ...cached } : startPosition(key)
      const lines = readLines(fd, tail, from)
      tail.lastBytes = bytesBefore(fd, tail.position)
      this.#keep(path, tail)
      return lines
    } finally {
      closeSync(fd)
    }
  }

  #keep(path: string, tail: TailPosition): void {
    this.#positions.delete(path)
    this.#positions.set(path, tail)
    if (this.#positions.size > MOST_POSITIONS) this.#positions.delete(this.#positions.keys().next().value!)
  }
}

function startPosition(key: Uint8Array | undefined): TailPosition {
  return { position: 0, lastBytes: Buffer.alloc(0), key, lines: new LogLines(key) }
}

function bytesBefore(fd: number, position: number): Buffer {
  const bytes = Buffer.alloc(Math.min(COMPARED_BYTES, position))
  readSync(fd, bytes, 0, bytes.length, position - bytes.length)
  return bytes
}

function isSameFile(fd: number, { position, lastBytes }: TailPosition): boolean {
  const bytes = Buffer.alloc(lastBytes.length)
  const length = readSync(fd, bytes, 0, bytes.length, position - lastBytes.length)
  return length === lastBytes.length && bytes.equals(lastBytes)
}

/** Reads pieces until one has a line from the offset on, or the file ends. Moves the position to their end. */
function readLines(fd: number, tail: TailPosition, from: number): TailLine[] {
  const reader = new LineReader(fd, { position: tail.position })
  for (;;) {
    const texts = reader.next()
    if (texts.length === 0) return []
    tail.position = reader.position
    const lines = tail.lines.read(texts)
    const newLines = lines.filter(({ o }) => o >= from)
    if (newLines.length > 0) return newLines
  }
}
