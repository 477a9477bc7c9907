import { isBlankOrCr, LF } from './char-codes.ts'

const BACKSLASH = 92

/**
 * Tracks what directly precedes a place in a text that arrives in pieces, to recognize what is only quoted: after a
 * backslash, a lone run of backticks, or `<code>`, with spaces and at most one line break between.
 */
export class ShownPlaces {
  /** The end of the last visible character, and the number of line breaks since. */
  #solidEnd = -1
  #breaks = 0
  /** The number of backslashes at the end of the last piece. */
  #slashes = 0
  /** Where the last run of backticks or `<code>` ended; -1 if it closed something. */
  #runEnd = -1
  /** The length of the last run, and of the run before a quoted call, until an equal one closes it. */
  #lastRun = 0
  #shownRun = 0

  /** The text from `at` to `end` has been read. `base` is the offset of `text`. */
  pass(text: string, at: number, end: number, base: number): void {
    let i = end - 1
    let breaks = 0
    while (i >= at) {
      const code = text.charCodeAt(i)
      if (code === LF) breaks++
      else if (!isBlankOrCr(code)) break
      i--
    }
    if (i >= at) {
      this.#solidEnd = base + i + 1
      this.#breaks = breaks
    } else this.#breaks += breaks
    let slashes = 0
    for (i = end - 1; i >= at && text.charCodeAt(i) === BACKSLASH; i--) slashes++
    this.#slashes = end - slashes > at ? slashes : this.#slashes + slashes
  }

  /** What begins here is only quoted. `closes` tells whether the run that ends at an offset closed a span. */
  isShown(closes: (offset: number) => boolean): boolean {
    if (this.#slashes % 2 === 1) return true
    return this.#runEnd >= 0 && this.#solidEnd === this.#runEnd && this.#breaks <= 1 && !closes(this.#runEnd)
  }

  /** A run of backticks or `<code>` ended at `offset`. */
  endRun(offset: number): void {
    this.#runEnd = offset
  }

  /** An HTML comment or element ended at `offset`. */
  endHtml(offset: number): void {
    this.#solidEnd = offset
    this.#breaks = this.#slashes = 0
  }

  endCode(): void {
    this.#runEnd = -1
  }

  /** True if a run of this length closes the code in which a call was quoted. */
  closes(length: number): boolean {
    this.#lastRun = length
    if (length !== this.#shownRun) return false
    this.#shownRun = 0
    this.#runEnd = -1
    return true
  }

  clear(): void {
    this.#solidEnd = this.#runEnd = -1
    this.#slashes = this.#shownRun = 0
  }

  /** A quoted call has been read. The run of backticks before it can still be closed after it. */
  clearShown(): void {
    if (this.#runEnd >= 0) this.#shownRun = this.#lastRun
    this.#solidEnd = -1
    this.#slashes = 0
  }
}
