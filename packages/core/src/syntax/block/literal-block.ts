import { CR, LF } from '../reader/char-codes.ts'
import { KeptText } from '../reader/kept-text.ts'
import type { OpenCall } from '../reader/open-call.ts'
import type { Reader } from '../reader/reader.ts'

/**
 * A YAML literal block (`key: |` or `key: |-`) as the value of the open parameter. What is certain to be part of the value
 * is sent as it comes: only blank lines wait, for those at the end are not.
 *
 *     content: |
 *       fn main() {}
 *
 *       // the end
 */
export class LiteralBlock {
  /** Where the line begins that is being read. */
  lineOffset = 0
  readonly #reader: Reader
  readonly #call: OpenCall
  /** The column of the key: the lines of the block are indented further. */
  readonly #parent: number
  /** The last line break is not part of the value (`|-`). */
  readonly #strip: boolean
  /** What every line begins with, up to the column at which its value begins; undefined before the first that is not blank. */
  #prefix: string | undefined
  #column = -1
  /** Blank lines that have come since the last other one. */
  #blanks: string[] = []
  #empty = true
  /** How many CR were read last that may be part of a line break and have not been sent. */
  #heldCr = 0
  /** The value so far. */
  readonly #value = new KeptText()

  constructor(reader: Reader, call: OpenCall, parent: number, strip: boolean) {
    this.#reader = reader
    this.#call = call
    this.#parent = parent
    this.#strip = strip
  }

  /**
   * The next line, whose first character that is not a blank is at `column`, -1 for none. `outside`: the block has ended
   * before it. `wrong`: it is no comment and indented less than the block and more than its key, or by a tab, or blank lines
   * before the block are indented further than it.
   */
  line(line: string, column: number): 'inside' | 'outside' | 'wrong' {
    if (column < 0) {
      if (this.#column >= 0 && line.length > this.#column) this.#add(this.#lineStart() + line.slice(this.#column))
      else this.#blanks.push(line)
      return 'inside'
    }
    if (column <= this.#parent) return line.charAt(column) === '\t' ? 'wrong' : 'outside'
    if (this.#column < 0) {
      if (this.#blanks.some(blank => blank.length > column)) return 'wrong'
      this.#column = column
    }
    if (column < this.#column) return line.charAt(column) === '#' ? 'outside' : 'wrong'
    this.#add(this.#lineStart() + line.slice(this.#column))
    return 'inside'
  }

  /** True for a line of the block whose characters can be sent as they come: its first that is not a blank is at `column`. */
  takes(column: number): boolean {
    return this.#column >= 0 && column >= this.#column
  }

  /** Such a line begins at `offset`. Its characters from `column` on, where the reader is, come with `read`. */
  beginLine(column: number, offset: number): void {
    this.#add(this.#lineStart() + ' '.repeat(column - this.#column))
    this.lineOffset = offset
  }

  /**
   * Reads on in such a line, and in those that follow it, and gives how many characters of the lines that were. The reader
   * is then at a line break or at the end of the piece. `quote`: what lines have before their indentation. `mark`: a line
   * that begins with it is left alone. `most`: no more characters than these are sent.
   */
  read(quote: string, mark: number, most: number): number {
    const { text, at } = this.#reader
    if (most < text.length - at) {
      const end = lineEnd(text, at)
      this.#write(text, at, Math.max(at, Math.min(end, at + most)), end < text.length)
      this.#reader.at = end
      return end - at
    }
    const prefix = (this.#prefix ??= quote + ' '.repeat(this.#column))
    let start = at
    let quotes = 0
    for (;;) {
      const end = lineEnd(text, start)
      const next = end + 1 + prefix.length
      if (this.#heldCr > 0 || !isPlain(text, end, prefix, mark)) {
        this.#write(text, start, end, end < text.length)
        return end - at - quotes
      }
      this.#add(text.slice(start, end + 1))
      this.#reader.at = next
      this.lineOffset = this.#reader.offset - this.#column
      start = next
      quotes += quote.length
    }
  }

  /** The part of `text` from `start` to `end`, where the line possibly ends. Any CR before that is part of the line break. */
  #write(text: string, start: number, end: number, ends: boolean): void {
    this.#reader.at = end
    let last = end
    while (last > start && text.charCodeAt(last - 1) === CR) last--
    if (last > start) {
      if (this.#heldCr > 0) this.#add('\r'.repeat(this.#heldCr))
      this.#heldCr = 0
      this.#add(text.slice(start, last))
    }
    this.#heldCr = ends ? 0 : this.#heldCr + end - last
  }

  /** What comes before a line that is not blank. */
  #lineStart(): string {
    let before = this.#empty ? '' : '\n'
    this.#empty = false
    if (this.#blanks.length > 0) {
      for (const blank of this.#blanks) before += `${blank.slice(this.#column)}\n`
      this.#blanks = []
    }
    return before
  }

  #add(text: string): void {
    if (text === '') return
    this.#call.write(text)
    this.#value.append(text)
  }

  /** The block has ended. */
  end(): void {
    if (!this.#empty && !this.#strip) this.#add('\n')
    this.#call.end(this.#value.toString())
  }
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.length : end
}

/**
 * True when the line that ends at `end` is followed by one more of the same form. What may be blank, or no line of the
 * block, or is not all there, is left to whoever reads lines.
 */
function isPlain(text: string, end: number, prefix: string, mark: number): boolean {
  const first = end + 1 + prefix.length
  if (first >= text.length || !text.startsWith(prefix, end + 1)) return false
  const code = text.charCodeAt(first)
  return code !== LF && code !== CR && code !== mark && (end === 0 || text.charCodeAt(end - 1) !== CR)
}
