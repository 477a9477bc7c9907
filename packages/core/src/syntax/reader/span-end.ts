import { BACKTICK, GREATER, isBlank, LESS, LF, toLower } from './char-codes.ts'
import type { CodeSpans } from './code-spans.ts'

const codeEnd = '</code'

/** Where `SpanEnd` stopped reading, and what that means for the text after the pending run. */
export interface SpanResult {
  at: number
  /** `code`: the span has closed. `fence`: the run was a fence. `line`: the line has ended, and the run was text. */
  as: 'code' | 'fence' | 'line'
  /** For `line`: the end of the span that contains the held place after all, or 0. */
  spanEnd: number
}

/** Continues in a line only to learn whether the text after a pending run of backticks, or `<code>`, is code. */
export class SpanEnd {
  readonly #spans: CodeSpans
  #run = 0
  #runOffset = 0
  #codeMatched = 0

  constructor(spans: CodeSpans) {
    this.#spans = spans
  }

  /**
   * Stops after the run that closes the span or at the end of the line. Returns `undefined` if `text` ends before
   * either. `heldOffset` is where the caller reads on if the run was text. `opensFence`: the pending run is at the
   * start of the line and may open a fence. `endRun` is called with the end of each run.
   */
  read(
    text: string,
    at: number,
    base: number,
    heldOffset: number,
    opensFence: boolean,
    endRun: (offset: number) => void,
  ): SpanResult | undefined {
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (this.#endsCode(code)) return { at: i + 1, as: 'code', spanEnd: 0 }
      if (code === BACKTICK) {
        if (this.#run === 0) this.#runOffset = base + i
        this.#run++
        continue
      }
      if (this.#run > 0) {
        endRun(this.#runOffset + this.#run)
        this.#spans.add(this.#runOffset, this.#run)
        this.#run = 0
        if (!this.#spans.pending) return { at: i, as: 'code', spanEnd: 0 }
      }
      if (code !== LF) continue
      if (opensFence && this.#spans.single) return { at: i, as: 'fence', spanEnd: 0 }
      return { at: i, as: 'line', spanEnd: this.#spans.resolve(base + i, heldOffset) }
    }
    return undefined
  }

  /** Reads `</code>`, if that would end the code. Returns true once it is complete. */
  #endsCode(code: number): boolean {
    if (this.#spans.length !== 0) return false
    if (this.#codeMatched === codeEnd.length) {
      if (isBlank(code)) return false
      this.#codeMatched = code === LESS ? 1 : 0
      return code === GREATER
    }
    const continues = toLower(code) === codeEnd.charCodeAt(this.#codeMatched)
    this.#codeMatched = continues ? this.#codeMatched + 1 : code === LESS ? 1 : 0
    return false
  }
}
