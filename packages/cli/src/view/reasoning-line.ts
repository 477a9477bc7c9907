import { english } from '@argot/core/stream'
import { cutEnd, cutStart, measureWidth } from '../io/width.ts'
import { oneLine } from './safe-pieces.ts'

/** How much of the beginning and end is kept, enough for a row. */
const KEPT_CHARACTERS = 600

/** A model's reasoning in one row: its end while it is being written, its beginning and length afterwards. */
export class ReasoningLine {
  #head = ''
  #tail = ''
  #length = 0

  push(delta: string): void {
    this.#length += delta.length
    if (this.#head.length < KEPT_CHARACTERS) this.#head += delta.slice(0, KEPT_CHARACTERS)
    this.#tail = (this.#tail + delta.slice(-KEPT_CHARACTERS)).slice(-KEPT_CHARACTERS)
  }

  live(columns: number): string {
    return `· ${cutStart(oneLine(this.#tail), columns - 3)}`
  }

  summary(columns: number): string | undefined {
    const start = oneLine(this.#head)
    if (start === '') return undefined
    if (this.#length <= KEPT_CHARACTERS && measureWidth(start) <= columns - 3) return `· ${start}`
    const size = ` (${english.number(this.#length)} characters)`
    return `· ${cutEnd(start, Math.max(1, columns - 3 - size.length))}${size}`
  }
}
