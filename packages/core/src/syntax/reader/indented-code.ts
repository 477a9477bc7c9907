/** The column from which on a line is code, and under a footnote belongs to that. */
export const CODE_COLUMN = 4

/**
 * Tells which lines are indented code: those that begin at the fourth column or further right, after a blank line or after
 * another such line. The start of the text is not a blank line.
 */
export class IndentedCode {
  /** Indented code hides nothing. */
  readonly #isLive: boolean
  /** Only blank lines are between this line and the last one with text; there is one at least. */
  #isAfterBlank = false
  /** The last line with text was code. */
  #isInside = false
  /** Something that is not Markdown's is before what is being read: the line is not blank. */
  #isContinued = false

  constructor(isLive: boolean) {
    this.#isLive = isLive
  }

  /** A line has ended that has no text of its own. */
  endEmpty(): void {
    if (!this.#isContinued) this.#isAfterBlank = true
    this.#isContinued = false
  }

  /** The first text of a line is at `column`. True when the line is code. */
  begins(column: number): boolean {
    this.#isInside = !this.#isLive && column >= CODE_COLUMN && (this.#isAfterBlank || this.#isInside)
    this.#isAfterBlank = false
    this.#isContinued = false
    return this.#isInside
  }

  /**
   * The line is part of something else, such as a list item. `isContinued`: a reasoning or a comment has been read, and
   * what follows is read like the start of a line.
   */
  leave(isContinued = false): void {
    this.#isAfterBlank = false
    this.#isInside = false
    this.#isContinued = isContinued
  }
}
