import { lastAtMost } from '../../source/last-at-most.ts'
import type { Position } from '../../source/position.ts'
import { CR, LF } from './char-codes.ts'

/** Below this length, a loop is faster than V8's own search. */
const SHORT_PIECE = 64

/**
 * Finds line and column of any offset in a text that arrives in pieces, as `createLineCounter` does for a whole text.
 */
export class LineOffsets {
  readonly #starts: number[] = [0]
  #length = 0
  #afterCr = false

  add(text: string): void {
    if (text === '') return
    if (this.#afterCr && text.charCodeAt(0) !== LF) this.#starts.push(this.#length)
    if (text.length < SHORT_PIECE || text.includes('\r')) this.#addAny(text)
    else for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) this.#starts.push(this.#length + i + 1)
    this.#afterCr = text.charCodeAt(text.length - 1) === CR
    this.#length += text.length
  }

  position(offset: number): Position {
    const index = lastAtMost(this.#starts, offset)
    return { offset, line: index + 1, column: offset - (this.#starts[index] ?? 0) + 1 }
  }

  /** Handles short pieces and pieces with CRs. A CR at the end waits for the next piece. */
  #addAny(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > CR) continue
      const ends = code === LF || (code === CR && i + 1 < text.length && text.charCodeAt(i + 1) !== LF)
      if (ends) this.#starts.push(this.#length + i + 1)
    }
  }
}
