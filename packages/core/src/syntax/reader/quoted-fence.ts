import { BACKTICK, GREATER, isBlank, TILDE } from './char-codes.ts'

/**
 * Fences within block quotes, line by line. Their content is code, so no comment begins there. A fence ends with its
 * quote at the latest.
 *
 *     > ```html
 *     > <!--
 *     > ```
 */
export class QuotedFence {
  /** The current line is part of a fence. Known once its start has been read. */
  isCode = false
  #fenceCode = 0
  /** 0 if no fence is open. */
  #fenceLength = 0
  #runCode = 0
  #runLength = 0

  begin(): void {
    this.#runCode = this.#runLength = 0
  }

  /** Reads the quote marks and whitespace at the start of the line, and the ticks or tildes after them. */
  //   > ```html
  // ^^^^^^^
  read(text: string, at: number): number {
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (this.#runLength === 0 ? code === BACKTICK || code === TILDE : code === this.#runCode) {
        this.#runCode = code
        this.#runLength++
      } else if (this.#runLength > 0 || !(isBlank(code) || code === GREATER)) {
        this.#endStart()
        return i
      }
    }
    return text.length
  }

  leave(): void {
    this.#fenceLength = 0
  }

  #endStart(): void {
    const isFence = this.#runLength >= 3
    this.isCode = isFence || this.#fenceLength > 0
    if (!isFence) return
    if (this.#fenceLength === 0) {
      this.#fenceCode = this.#runCode
      this.#fenceLength = this.#runLength
    } else if (this.#runCode === this.#fenceCode && this.#runLength >= this.#fenceLength) this.#fenceLength = 0
  }
}
