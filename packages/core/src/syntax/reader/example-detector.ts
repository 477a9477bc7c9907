import { isBlankOrCr, LF } from './char-codes.ts'

const BACKSLASH = 92

/**
 * Tracks what directly precedes a place in a text that arrives in pieces. A call is only an example after a backslash,
 * a lone run of backticks, or `<code>`, with spaces and at most one line break between.
 */
export class ExampleDetector {
  /** The end of the last visible character, and the number of line breaks since. */
  #solidEnd = -1
  #breaks = 0
  #trailingBackslashes = 0
  /** Where the last run of backticks or `<code>` ended; -1 if it closed something. */
  #runEnd = -1
  /** The length of the last run, and of the run before an example, until an equal one closes it. */
  #lastRun = 0
  #exampleRun = 0

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
    this.#trailingBackslashes = end - slashes > at ? slashes : this.#trailingBackslashes + slashes
  }

  /** True if a call that begins here is an example. `closes` tells whether the run that ends at an offset closed a span. */
  isExample(closes: (offset: number) => boolean): boolean {
    if (this.#trailingBackslashes % 2 === 1) return true
    return this.#runEnd >= 0 && this.#solidEnd === this.#runEnd && this.#breaks <= 1 && !closes(this.#runEnd)
  }

  endRun(offset: number): void {
    this.#runEnd = offset
  }

  endHtml(offset: number): void {
    this.#solidEnd = offset
    this.#breaks = this.#trailingBackslashes = 0
  }

  endCode(): void {
    this.#runEnd = -1
  }

  /** True if a run of this length closes the code that an example is in. */
  closes(length: number): boolean {
    this.#lastRun = length
    if (length !== this.#exampleRun) return false
    this.#exampleRun = 0
    this.#runEnd = -1
    return true
  }

  clear(): void {
    this.#solidEnd = this.#runEnd = -1
    this.#trailingBackslashes = this.#exampleRun = 0
  }

  /** The run of backticks before the example can still be closed after it. */
  resumeAfterExample(): void {
    if (this.#runEnd >= 0) this.#exampleRun = this.#lastRun
    this.#solidEnd = -1
    this.#trailingBackslashes = 0
  }
}
