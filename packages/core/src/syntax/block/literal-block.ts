import { CR, LF } from '../reader/char-codes.ts'
import { KeptText } from '../reader/kept-text.ts'
import type { OpenCall } from '../reader/open-call.ts'
import type { Reader } from '../reader/reader.ts'

/**
 * A YAML literal block (`key: |` or `key: |-`) as the value of the open parameter. Text that is certain to be part of
 * the value is sent as it arrives. Only blank lines wait, because those at the end aren't part of the value.
 *
 *     content: |
 *       fn main() {}
 *
 *       // the end
 */
export class LiteralBlock {
  lineOffset = 0
  readonly #reader: Reader
  readonly #call: OpenCall
  /** The column of the key. The block's lines are indented further. */
  readonly #keyColumn: number
  /** `|-`: the last line break isn't part of the value. */
  readonly #stripsEnd: boolean
  /** The indentation every line begins with. Undefined until the first line that isn't blank. */
  #prefix: string | undefined
  #column = -1
  /** Those since the last other line. */
  #blankLines: string[] = []
  #isEmpty = true
  /** The number of trailing CRs held back because they may be part of a line break. */
  #heldCrs = 0
  readonly #value = new KeptText()

  constructor(reader: Reader, call: OpenCall, parent: number, strip: boolean) {
    this.#reader = reader
    this.#call = call
    this.#keyColumn = parent
    this.#stripsEnd = strip
  }

  /**
   * The next line. `column` is that of its first visible character, or -1. Returns `outside` if the block ended before
   * it. Returns `wrong` if the line isn't a comment and is indented less than the block but more than its key, or by a
   * tab, or if blank lines before the block are indented further than the block.
   */
  line(line: string, column: number): 'inside' | 'outside' | 'wrong' {
    if (column < 0) {
      if (this.#column >= 0 && line.length > this.#column) this.#add(this.#lineStart() + line.slice(this.#column))
      else this.#blankLines.push(line)
      return 'inside'
    }
    if (column <= this.#keyColumn) return line.charAt(column) === '\t' ? 'wrong' : 'outside'
    if (this.#column < 0) {
      if (this.#blankLines.some(blank => blank.length > column)) return 'wrong'
      this.#column = column
    }
    if (column < this.#column) return line.charAt(column) === '#' ? 'outside' : 'wrong'
    this.#add(this.#lineStart() + line.slice(this.#column))
    return 'inside'
  }

  /** True for a line of the block that can be streamed. `column` is that of its first visible character. */
  takes(column: number): boolean {
    return this.#column >= 0 && column >= this.#column
  }

  /** Such a line begins at `offset`. Its characters from `column` on, where the reader is, are read with `read`. */
  beginLine(column: number, offset: number): void {
    this.#add(this.#lineStart() + ' '.repeat(column - this.#column))
    this.lineOffset = offset
  }

  /**
   * Continues in such a line and the ones after it, and returns how many characters of the lines it read. The reader is
   * then at a line break or at the end of the piece. `quote` is what precedes a line's indentation, `mark` begins a
   * line to leave alone, and at most `maxLength` characters are sent.
   */
  read(quote: string, mark: number, maxLength: number): number {
    const { text, at } = this.#reader
    if (maxLength < text.length - at) {
      const end = findLineEnd(text, at)
      this.#write(text, at, Math.max(at, Math.min(end, at + maxLength)), end < text.length)
      this.#reader.at = end
      return end - at
    }
    const prefix = (this.#prefix ??= quote + ' '.repeat(this.#column))
    let start = at
    let quotes = 0
    for (;;) {
      const end = findLineEnd(text, start)
      const next = end + 1 + prefix.length
      if (this.#heldCrs > 0 || !isPlain(text, end, prefix, mark)) {
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

  /** Sends `text` from `start` to `end`. If the line may end there, CRs before `end` belong to the line break. */
  #write(text: string, start: number, end: number, ends: boolean): void {
    this.#reader.at = end
    let contentEnd = end
    while (contentEnd > start && text.charCodeAt(contentEnd - 1) === CR) contentEnd--
    if (contentEnd > start) {
      if (this.#heldCrs > 0) this.#add('\r'.repeat(this.#heldCrs))
      this.#heldCrs = 0
      this.#add(text.slice(start, contentEnd))
    }
    this.#heldCrs = ends ? 0 : this.#heldCrs + end - contentEnd
  }

  #lineStart(): string {
    let before = this.#isEmpty ? '' : '\n'
    this.#isEmpty = false
    if (this.#blankLines.length > 0) {
      for (const blank of this.#blankLines) before += `${blank.slice(this.#column)}\n`
      this.#blankLines = []
    }
    return before
  }

  #add(text: string): void {
    if (text === '') return
    this.#call.write(text)
    this.#value.append(text)
  }

  end(): void {
    if (!this.#isEmpty && !this.#stripsEnd) this.#add('\n')
    this.#call.end(this.#value.toString())
  }
}

function findLineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.length : end
}

/**
 * True if the line that ends at `end` is followed by another one of the same form. A line that may be blank, may be
 * outside the block, or isn't complete is left to the line reader.
 */
function isPlain(text: string, end: number, prefix: string, mark: number): boolean {
  const first = end + 1 + prefix.length
  if (first >= text.length || !text.startsWith(prefix, end + 1)) return false
  const code = text.charCodeAt(first)
  return code !== LF && code !== CR && code !== mark && (end === 0 || text.charCodeAt(end - 1) !== CR)
}
