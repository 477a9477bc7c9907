import { isBlankOrCr, LF } from './char-codes.ts'

const BACKSLASH = 92

/**
 * Knows what is directly before a place in a text that arrives in pieces, to tell what begins there from what is only
 * shown: after a backslash, a lone run of backticks, or `<code>`, with blanks and at most one line break between.
 */
export class ShownPlaces {
  /** Where the last character ends that is not a blank, and how many line breaks have come since. */
  #solidEnd = -1
  #breaks = 0
  /** How many backslashes the last piece ended in. */
  #slashes = 0
  /** Where the last run of backticks or `<code>` ended; -1 where it closed something. */
  #runEnd = -1
  /** How long the last run is, and the run before a call that was only shown, until an equal one closes it. */
  #lastRun = 0
  #shownRun = 0

  /** The text from `at` to `end` has been read; `base` is the offset of `text`. */
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

  /** What begins here is only shown; `closes` says whether the run that ends at an offset closed a span. */
  isShown(closes: (offset: number) => boolean): boolean {
    if (this.#slashes % 2 === 1) return true
    return this.#runEnd >= 0 && this.#solidEnd === this.#runEnd && this.#breaks <= 1 && !closes(this.#runEnd)
  }

  /** A run of backticks or `<code>` ended at `offset`. */
  endRun(offset: number): void {
    this.#runEnd = offset
  }

  /** A comment or an element of HTML ended at `offset`. */
  endHtml(offset: number): void {
    this.#solidEnd = offset
    this.#breaks = this.#slashes = 0
  }

  /** `</code>` has been read. */
  endCode(): void {
    this.#runEnd = -1
  }

  /** True when the run of this length closes the code that a call was shown in. */
  closes(length: number): boolean {
    this.#lastRun = length
    if (length !== this.#shownRun) return false
    this.#shownRun = 0
    this.#runEnd = -1
    return true
  }

  /** A call or a reasoning has been read. */
  clear(): void {
    this.#solidEnd = this.#runEnd = -1
    this.#slashes = this.#shownRun = 0
  }

  /** A call that is only shown has been read. The run of backticks before it can still close after it. */
  clearShown(): void {
    if (this.#runEnd >= 0) this.#shownRun = this.#lastRun
    this.#solidEnd = -1
    this.#slashes = 0
  }
}
