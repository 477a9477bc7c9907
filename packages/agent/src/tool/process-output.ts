/** How far a cut may move to fall between two lines. */
const LINE_REACH = 4096

/**
 * Collects the output of a process in bounded memory: the beginning and the end are kept, the bytes between them are
 * counted.
 */
export class ProcessOutput {
  /** How many bytes came. */
  bytes = 0
  /** The first half of the limit, as it came. */
  private head: Buffer | undefined
  private headBytes = 0
  /** A ring of the last bytes after the head. */
  private ring: Buffer | undefined
  private ringBytes = 0
  private readonly headLimit: number
  private readonly ringLimit: number

  constructor(limit: number) {
    this.headLimit = Math.ceil(limit / 2)
    this.ringLimit = Math.max(limit - this.headLimit, 1)
  }

  push(piece: Buffer): void {
    this.bytes += piece.length
    const room = this.headLimit - this.headBytes
    if (room > 0) {
      this.head ??= Buffer.allocUnsafe(this.headLimit)
      this.headBytes += piece.copy(this.head, this.headBytes)
    }
    if (piece.length > room) this.pushToRing(piece.subarray(room))
  }

  private pushToRing(piece: Buffer): void {
    this.ring ??= Buffer.allocUnsafe(this.ringLimit)
    const skipped = Math.max(piece.length - this.ringLimit, 0)
    const start = (this.ringBytes + skipped) % this.ringLimit
    const kept = piece.subarray(skipped)
    const copied = kept.copy(this.ring, start)
    kept.copy(this.ring, 0, copied)
    this.ringBytes += piece.length
  }

  /** The kept bytes as text; what is not UTF-8 is replaced, and a line in brackets says how much is left out. */
  get text(): string {
    const head = this.readHead()
    const tail = this.readRing()
    if (this.ringBytes <= this.ringLimit) return decode(Buffer.concat([head, tail]))
    const first = head.subarray(0, endOfLine(head))
    const last = tail.subarray(startOfLine(tail))
    const left = this.bytes - first.length - last.length
    return `${endLine(decode(first))}[… ${left} bytes are left out …]\n${decode(last)}`
  }

  /** The last bytes as text, at most so many. */
  tail(limit: number): string {
    const tail = this.readRing()
    const all = tail.length < limit ? Buffer.concat([this.readHead(), tail]) : tail
    if (all.length <= limit) return decode(all)
    const last = all.subarray(all.length - limit)
    return decode(last.subarray(startOfLine(last)))
  }

  private readHead(): Buffer {
    return this.head?.subarray(0, this.headBytes) ?? Buffer.alloc(0)
  }

  private readRing(): Buffer {
    if (this.ring === undefined) return Buffer.alloc(0)
    if (this.ringBytes <= this.ringLimit) return this.ring.subarray(0, this.ringBytes)
    const start = this.ringBytes % this.ringLimit
    return Buffer.concat([this.ring.subarray(start), this.ring.subarray(0, start)])
  }
}

function decode(bytes: Buffer): string {
  return new TextDecoder().decode(bytes)
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Where to end a beginning: after its last line, or else after its last whole character. */
function endOfLine(bytes: Buffer): number {
  const line = bytes.lastIndexOf(0x0a) + 1
  if (line > 0 && bytes.length - line < LINE_REACH) return line
  let end = bytes.length
  while (end > 0 && bytes.length - end < 3 && isContinuation(bytes[end - 1])) end--
  const lead = bytes[end - 1] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return end - 1 + length > bytes.length ? end - 1 : bytes.length
}

/** Where to begin an end: at its first whole line, or else at its first whole character. */
function startOfLine(bytes: Buffer): number {
  const line = bytes.subarray(0, LINE_REACH).indexOf(0x0a) + 1
  if (line > 0 && line < bytes.length) return line
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start++
  return start
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
