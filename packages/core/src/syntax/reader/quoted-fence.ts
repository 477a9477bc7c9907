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
  /** The open fence's character and length; 0 if none. */
  #code = 0
  #length = 0
  /** The run at the start of the line. */
  #runCode = 0
  #run = 0

  begin(): void {
    this.#runCode = this.#run = 0
  }

  /** Reads the quote marks and whitespace at the start of the line, and the ticks or tildes after them. */
  //   > ```html
  // ^^^^^^^
  read(text: string, at: number): number {
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (this.#run === 0 ? code === BACKTICK || code === TILDE : code === this.#runCode) {
        this.#runCode = code
        this.#run++
      } else if (this.#run > 0 || !(isBlank(code) || code === GREATER)) {
        this.#endStart()
        return i
      }
    }
    return text.length
  }

  leave(): void {
    this.#length = 0
  }

  #endStart(): void {
    const isFence = this.#run >= 3
    this.isCode = isFence || this.#length > 0
    if (!isFence) return
    if (this.#length === 0) {
      this.#code = this.#runCode
      this.#length = this.#run
    } else if (this.#runCode === this.#code && this.#run >= this.#length) this.#length = 0
  }
}
