import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { markData, resumeMark } from '../marks.ts'
import type { TailLine } from '../store.ts'
import { isSystemError } from './disk.ts'
import { parseLine } from './log-file.ts'
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

  /** The lines from an offset on. Empty where there is no such file. */
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
      const lines = readLines(fd, place)
      this.#keep(path, place)
      return lines.filter(({ o }) => o >= from)
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

function isSameFile(fd: number, { position, last }: Place): boolean {
  const there = Buffer.alloc(last.length)
  const read = readSync(fd, there, 0, there.length, position - last.length)
  return read === last.length && there.equals(last)
}

/** The complete lines from a place on, which is moved to their end. They are read at once: nobody cuts off a half meanwhile. */
function readLines(fd: number, place: Place): TailLine[] {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - place.position))
  const length = readSync(fd, bytes, 0, bytes.length, place.position)
  const end = length === 0 ? 0 : bytes.lastIndexOf(10, length - 1) + 1
  if (end === 0) return []
  place.position += end
  place.last = Buffer.from(bytes.subarray(Math.max(0, end - COMPARED), end))
  const lines: TailLine[] = []
  for (const text of bytes.toString('utf8', 0, end).split('\n')) take(text, place, lines)
  return lines
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
