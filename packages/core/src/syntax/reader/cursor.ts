import { isNameCode, isWideNameCode } from '../tool-names.ts'
import { isBlankOrCr, LF } from './char-codes.ts'
import { KeptText } from './kept-text.ts'

/**
 * A position in a text that arrives in pieces. Text after a mark is kept, so that it can be read again or looked up.
 * Nothing else is kept.
 */
export class Cursor {
  /** The current piece. After a step back, it includes the kept text before it. */
  text = ''
  at = 0
  /** What `readName` has read so far. States set it to `''` first. */
  word = ''
  /** How much of the word `expect` has matched. */
  protected matched = 0
  /** The offset of `text` in the whole text. */
  protected base = 0
  /** The index in `text` from which text is kept; -1 if there is no mark. */
  protected mark = -1
  /** The length of the whole text once it has ended; -1 before. */
  protected length = -1
  readonly #kept = new KeptText()

  /** The offset of the next character in the whole text. */
  get offset(): number {
    return this.base + this.at
  }

  /** Text before this offset is decided. Text after it is kept and may be read again. */
  get decided(): number {
    return this.mark < 0 ? this.offset : this.markOffset
  }

  /** The text has ended, and only the line break added after its last line is left. */
  get atEnd(): boolean {
    return this.length >= 0 && this.offset >= this.length
  }

  /** Reads `word`. Returns true once all of it matched, false on a mismatch, undefined if it needs more text. */
  expect(word: string): boolean | undefined {
    const { text } = this
    while (this.at < text.length) {
      if (text.charCodeAt(this.at) !== word.charCodeAt(this.matched)) {
        this.matched = 0
        return false
      }
      this.at++
      if (++this.matched === word.length) {
        this.matched = 0
        return true
      }
    }
    return undefined
  }

  /** Reads a name into `word`. Returns true when it has ended. `wide` adds characters that only dialects allow. */
  readName(wide = false): boolean {
    const isPart = wide ? isWideNameCode : isNameCode
    let end = this.at
    while (end < this.text.length && isPart(this.text.charCodeAt(end))) end++
    this.word += this.text.slice(this.at, end)
    this.at = end
    return end < this.text.length
  }

  /** Skips whitespace, including line breaks. Returns true when it has ended. */
  skipSpace(): boolean {
    while (this.at < this.text.length) {
      const code = this.text.charCodeAt(this.at)
      if (code !== LF && !isBlankOrCr(code)) return true
      this.at++
    }
    return false
  }

  /** Skips spaces, tabs and CRs. Returns true when they have ended. */
  skipBlanks(): boolean {
    while (this.at < this.text.length && isBlankOrCr(this.text.charCodeAt(this.at))) this.at++
    return this.at < this.text.length
  }

  /** The text between two offsets after the mark. */
  between(start: number, end: number): string {
    if (start >= this.base) return this.text.slice(start - this.base, end - this.base)
    const first = this.base - this.#kept.length
    return this.#kept.slice(start - first, end - first) + this.text.slice(0, Math.max(0, end - this.base))
  }

  protected get markOffset(): number {
    return this.base + this.mark - this.#kept.length
  }

  protected endPiece(): void {
    if (this.mark >= 0) {
      this.#kept.append(this.mark === 0 ? this.text : this.text.slice(this.mark))
      this.mark = 0
    }
    this.base += this.text.length
    this.text = ''
    this.at = 0
  }

  /** Goes back to the mark, so that the kept text is read again. */
  protected stepBack(): void {
    if (this.#kept.length > 0) {
      this.text = this.#kept.toString() + this.text
      this.base -= this.#kept.length
      this.#kept.clear()
    }
    this.at = this.mark
    this.matched = 0
  }

  /** Goes back to an offset after the mark. The text before it stays kept. */
  goBackTo(offset: number): void {
    this.matched = 0
    if (offset >= this.base) {
      this.at = offset - this.base
      return
    }
    this.text = this.#kept.cut(this.#kept.length - (this.base - offset)) + this.text
    this.base = offset
    this.at = 0
  }

  /** Moves the mark forward. `offset` must be in the kept text or the current piece. */
  protected moveMark(offset: number): void {
    const first = this.base - this.#kept.length
    const rest = offset < this.base ? this.#kept.slice(offset - first, this.#kept.length) : ''
    this.#kept.clear()
    this.#kept.append(rest)
    this.mark = Math.max(0, offset - this.base)
  }

  protected unmark(): void {
    this.mark = -1
    this.#kept.clear()
  }

  protected textSinceMark(): string {
    return this.#kept.toString() + this.clip(this.mark, this.at)
  }

  /** A part of `text`, without the line break added at the end of the text. */
  protected clip(start: number, end: number): string {
    const clippedEnd = this.length < 0 ? end : Math.min(end, this.length - this.base)
    return start === 0 && clippedEnd === this.text.length ? this.text : this.text.slice(start, clippedEnd)
  }
}
