/** How far a cut may move to fall between two lines. */
const LINE_REACH = 4096

/** A secret that continues after a cut must be seen in full, so keep a little more than is shown. */
const MARGIN = 16 * 1024

/** Returns spans that must not be cut in two, in order. */
export type FindSpans = (text: string) => readonly { start: number; end: number }[]

/**
 * Collects a process's output in bounded memory: keeps the beginning and the end, and counts the bytes between them. A
 * cut never splits a secret: the output ends before it, or begins after it.
 */
export class ProcessOutput {
  bytes = 0
  #head: Buffer | undefined
  #headBytes = 0
  /** A ring buffer of the last bytes after the head. */
  #ring: Buffer | undefined
  #ringBytes = 0
  readonly #limit: number
  readonly #headSize: number
  readonly #ringSize: number
  readonly #find: FindSpans

  constructor(limit: number, find: FindSpans = () => []) {
    this.#limit = limit
    this.#headSize = Math.ceil(limit / 2) + MARGIN
    this.#ringSize = Math.floor(limit / 2) + MARGIN
    this.#find = find
  }

  push(piece: Buffer): void {
    this.bytes += piece.length
    const room = this.#headSize - this.#headBytes
    if (room > 0) {
      this.#head ??= Buffer.allocUnsafe(this.#headSize)
      this.#headBytes += piece.copy(this.#head, this.#headBytes)
    }
    if (piece.length > room) this.#pushToRing(piece.subarray(room))
  }

  #pushToRing(piece: Buffer): void {
    this.#ring ??= Buffer.allocUnsafe(this.#ringSize)
    const skipped = Math.max(piece.length - this.#ringSize, 0)
    const start = (this.#ringBytes + skipped) % this.#ringSize
    const rest = piece.subarray(skipped)
    const copied = rest.copy(this.#ring, start)
    rest.copy(this.#ring, 0, copied)
    this.#ringBytes += piece.length
  }

  /** Bytes that are not UTF-8 are replaced, and a line in brackets says how much is left out. */
  get text(): string {
    if (this.bytes <= this.#limit) return decode(this.#readStart())
    const start = this.#readStart()
    const head = this.#cutEnd(start, findLineEnd(start.subarray(0, Math.ceil(this.#limit / 2))))
    const tail = this.tail(Math.floor(this.#limit / 2))
    const left = this.bytes - Buffer.byteLength(head) - Buffer.byteLength(tail)
    return `${withNewline(head)}[… ${left} bytes are left out …]\n${tail}`
  }

  tail(limit: number): string {
    const end = this.#readEnd()
    if (end.length <= limit && end.length === this.bytes) return decode(end)
    const at = Math.max(end.length - limit, 0)
    return this.#cutStart(end, at + findLineStart(end.subarray(at)))
  }

  #cutEnd(bytes: Buffer, place: number): string {
    const text = decode(bytes)
    const at = decode(bytes.subarray(0, place)).length
    const span = this.#find(text).find(({ start, end }) => start < at && at < end)
    return text.slice(0, span?.start ?? at)
  }

  #cutStart(bytes: Buffer, place: number): string {
    const text = decode(bytes)
    const at = text.length - decode(bytes.subarray(place)).length
    const span = this.#find(text).find(({ start, end }) => start < at && at < end)
    return text.slice(span?.end ?? at)
  }

  /** The first bytes; all of them as long as none is lost. */
  #readStart(): Buffer {
    const head = this.#readHead()
    return this.#ringBytes <= this.#ringSize ? Buffer.concat([head, this.#readRing()]) : head
  }

  /** The last bytes; all of them as long as none is lost. */
  #readEnd(): Buffer {
    const ring = this.#readRing()
    return this.#ringBytes <= this.#ringSize ? Buffer.concat([this.#readHead(), ring]) : ring
  }

  #readHead(): Buffer {
    return this.#head?.subarray(0, this.#headBytes) ?? Buffer.alloc(0)
  }

  #readRing(): Buffer {
    if (this.#ring === undefined) return Buffer.alloc(0)
    if (this.#ringBytes <= this.#ringSize) return this.#ring.subarray(0, this.#ringBytes)
    const start = this.#ringBytes % this.#ringSize
    return Buffer.concat([this.#ring.subarray(start), this.#ring.subarray(0, start)])
  }
}

function decode(bytes: Buffer): string {
  return new TextDecoder().decode(bytes)
}

function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** The end of the last line, or else of the last complete character. */
function findLineEnd(bytes: Buffer): number {
  const line = bytes.lastIndexOf(0x0a) + 1
  if (line > 0 && bytes.length - line < LINE_REACH) return line
  let end = bytes.length
  while (end > 0 && bytes.length - end < 3 && isContinuation(bytes[end - 1])) end--
  const lead = bytes[end - 1] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return end - 1 + length > bytes.length ? end - 1 : bytes.length
}

/** The start of the first complete line, or else of the first complete character. */
function findLineStart(bytes: Buffer): number {
  const line = bytes.subarray(0, LINE_REACH).indexOf(0x0a) + 1
  if (line > 0 && line < bytes.length) return line
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start++
  return start
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
