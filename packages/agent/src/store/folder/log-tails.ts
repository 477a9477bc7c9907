import { closeSync, openSync, readSync } from 'node:fs'
import { markData, resumeMark } from '../marks.ts'
import type { TailLine } from '../store.ts'
import { isSystemError } from './disk.ts'
import { LineReader } from './line-reader.ts'
import { parseLine } from './scan-log.ts'
import { SignatureCheck } from './signature-check.ts'

/** Of this many logs it is known how far they were read. */
const KEPT = 500
/** This many bytes before a place are looked at again. A line has its offset and time in it, so no two are alike. */
const COMPARED = 256

/** Where a log was read to. */
interface Place {
  /** The offset of the next line, and where in the file it begins. */
  next: number
  position: number
  epoch: number
  /** The end of the last line that was read: a file that does not have it there any more is another one. */
  last: Buffer
  key: Uint8Array | undefined
  check: SignatureCheck
}

/** Reads what is new in logs: whoever asks again after the last line that it has costs no more than that. */
export class LogTails {
  readonly #places: Map<string, Place> = new Map()

  /** The next lines from an offset on, as many as are in a piece of the file. None where there are no more, or no such file. */
  read(path: string, from: number, key: Uint8Array | undefined): TailLine[] {
    let fd: number
    try {
      fd = openSync(path, 'r')
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'EISDIR')) return []
      throw error
    }
    try {
      const known = this.#places.get(path)
      const isUsable = known !== undefined && known.next <= from && known.key === key && isSameFile(fd, known)
      const place = isUsable ? { ...known } : beginning(key)
      const lines = readLines(fd, place, from)
      place.last = bytesBefore(fd, place.position)
      this.#keep(path, place)
      return lines
    } finally {
      closeSync(fd)
    }
  }

  #keep(path: string, place: Place): void {
    this.#places.delete(path)
    this.#places.set(path, place)
    if (this.#places.size > KEPT) this.#places.delete(this.#places.keys().next().value!)
  }
}

function beginning(key: Uint8Array | undefined): Place {
  return { next: 0, position: 0, epoch: 1, last: Buffer.alloc(0), key, check: new SignatureCheck(key) }
}

function bytesBefore(fd: number, position: number): Buffer {
  const bytes = Buffer.alloc(Math.min(COMPARED, position))
  readSync(fd, bytes, 0, bytes.length, position - bytes.length)
  return bytes
}

function isSameFile(fd: number, { position, last }: Place): boolean {
  const there = Buffer.alloc(last.length)
  const read = readSync(fd, there, 0, there.length, position - last.length)
  return read === last.length && there.equals(last)
}

/** The lines of the next pieces, until there is one from the offset on, or no more. The place is moved to their end. */
function readLines(fd: number, place: Place, from: number): TailLine[] {
  const reader = new LineReader(fd, { position: place.position })
  for (;;) {
    const texts = reader.next()
    if (texts.length === 0) return []
    place.position = reader.position
    const lines: TailLine[] = []
    for (const line of texts) {
      if ('text' in line) take(line.text, place, lines)
      else place.check.doubt()
    }
    const wanted = lines.filter(({ o }) => o >= from)
    if (wanted.length > 0) return wanted
  }
}

/** Lines of a process that had lost the document do not count. */
function take(text: string, place: Place, lines: TailLine[]): void {
  if (text === '') return
  const line = parseLine(text)
  if (line === undefined) return place.check.skip(text)
  const { o, t, chunk, epoch } = line
  if (chunk.type === resumeMark && epoch > place.epoch) {
    place.epoch = epoch
    place.check.resume(markData(chunk).after)
  }
  if (epoch !== place.epoch) return
  place.next = Math.max(place.next, o + 1)
  lines.push({ o, t, chunk, isSigned: place.check.push(text, o) })
}
