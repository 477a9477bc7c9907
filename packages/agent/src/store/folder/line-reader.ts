import { fstatSync, readSync } from 'node:fs'

/** The longest line of a log in bytes. Longer ones are never written, and readers skip them. */
export const LONGEST_LINE: number = 64 * 1024 * 1024

const PIECE_BYTES = 256 * 1024

const NEWLINE = 10

/** Shared by all readers: nothing stays in it between two reads. */
const sharedPiece = Buffer.allocUnsafeSlow(PIECE_BYTES)

export interface LineReaderOptions {
  position?: number | undefined
  longest?: number | undefined
  piece?: number | undefined
}

/** A complete line without its newline, or a note that a line was too long. */
export type FileLine = { text: string } | { isTooLong: true }

/** Uses memory for one piece and one line, and never for more than the longest allowed line. */
export class LineReader {
  readonly #fd: number
  readonly #longest: number
  readonly #pieceSize: number
  /** Where the first incomplete line begins. */
  #position: number
  /** How many bytes of that line are known to have no newline and to be too many. */
  #skipped = 0
  #buffer: Buffer
  #isAtEnd = false

  constructor(fd: number, { position = 0, longest = LONGEST_LINE, piece: size = PIECE_BYTES }: LineReaderOptions = {}) {
    this.#fd = fd
    this.#position = position
    this.#longest = longest
    this.#pieceSize = Math.min(size, longest)
    this.#buffer = allocateBuffer(this.#pieceSize)
  }

  get position(): number {
    return this.#position
  }

  /** False if the file may have had more than the last piece when that was read. */
  get isAtEnd(): boolean {
    return this.#isAtEnd
  }

  /**
   * The complete lines of the next piece: at least one, unless the file has no more. An incomplete line is read again
   * the next time, because the next writer may cut it off.
   */
  next(): FileLine[] {
    for (;;) {
      if (this.#skipped > 0 && fstatSync(this.#fd).size < this.#position + this.#skipped) this.#skipped = 0
      const length = readSync(this.#fd, this.#buffer, 0, this.#buffer.length, this.#position + this.#skipped)
      this.#isAtEnd = length < this.#buffer.length
      if (length === 0) return []
      const bytes = this.#buffer.subarray(0, length)
      if (this.#skipped > 0) {
        const end = bytes.indexOf(NEWLINE)
        this.#skipped += end === -1 ? length : end + 1
        if (end === -1) continue
        this.#position += this.#skipped
        this.#skipped = 0
        this.#isAtEnd = false
        return [{ isTooLong: true }]
      }
      const end = bytes.lastIndexOf(NEWLINE) + 1
      if (end > 0) return this.#take(bytes.subarray(0, end))
      if (length < this.#buffer.length) return []
      if (length >= this.#longest) this.#skipped = length
      this.#resize(this.#skipped > 0 ? this.#pieceSize : Math.min(this.#buffer.length * 4, this.#longest))
    }
  }

  /** The text after the last newline, if it isn't too long for a line. */
  rest(): string {
    const size = fstatSync(this.#fd).size - this.#position
    if (size <= 0 || size > this.#longest) return ''
    const bytes = Buffer.allocUnsafe(size)
    const length = readSync(this.#fd, bytes, 0, size, this.#position)
    return bytes.toString('utf8', 0, length)
  }

  #take(bytes: Buffer): FileLine[] {
    this.#position += bytes.length
    const lines = bytes.toString('utf8', 0, bytes.length - 1).split('\n')
    if (this.#buffer.length > this.#pieceSize) this.#resize(this.#pieceSize)
    return lines.map(text => ({ text }))
  }

  #resize(size: number): void {
    if (this.#buffer.length !== size) this.#buffer = allocateBuffer(size)
  }
}

function allocateBuffer(size: number): Buffer {
  return size === PIECE_BYTES ? sharedPiece : Buffer.allocUnsafe(size)
}
