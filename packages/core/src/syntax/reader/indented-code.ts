/** Lines that begin at this column or further right are code, or belong to the footnote above. */
export const CODE_COLUMN = 4

/**
 * Tells which lines are indented code: those that begin at column 4 or further right, after a blank line or another
 * such line. The start of the text doesn't count as a blank line.
 */
export class IndentedCode {
  readonly #isLive: boolean
  /** Only blank lines, and at least one, are between this line and the last one with text. */
  #isAfterBlank = false
  #isInside = false
  /** Something other than Markdown precedes the current text, so the line isn't blank. */
  #isContinued = false

  constructor(isLive: boolean) {
    this.#isLive = isLive
  }

  endEmptyLine(): void {
    if (!this.#isContinued) this.#isAfterBlank = true
    this.#isContinued = false
  }

  /** The first text of a line is at `column`. Returns true if the line is code. */
  beginLine(column: number): boolean {
    this.#isInside = !this.#isLive && column >= CODE_COLUMN && (this.#isAfterBlank || this.#isInside)
    this.#isAfterBlank = false
    this.#isContinued = false
    return this.#isInside
  }

  /**
   * The line is part of something else, such as a list item. `isContinued`: reasoning or a comment has been read, and
   * the text after it is read like the start of a line.
   */
  leave(isContinued = false): void {
    this.#isAfterBlank = false
    this.#isInside = false
    this.#isContinued = isContinued
  }
}
