import { stripVTControlCharacters } from 'node:util'
import { endsInHalf, firstCharacters } from '@argot/core/stream/internal'
import { safeText } from '../io/safe-text.ts'

/** The beginning of a text as one safe line, without colours. Whitespace and line breaks become single spaces. */
export function oneLine(text: string, limit = 1000): string {
  return safeText(stripVTControlCharacters(firstCharacters(text, limit)).replace(/\s+/g, ' ').trim())
}

/** Makes a text safe as it arrives in pieces. A character that is split waits for its other half. */
export class SafeTextStream {
  /** A carriage return or the first half of a surrogate pair at the end of the last piece. */
  #held = ''

  push(piece: string): string {
    const text = this.#held + piece
    const isTorn = text.endsWith('\r') || endsInHalf(text)
    this.#held = isTorn ? text.slice(-1) : ''
    return safeText(isTorn ? text.slice(0, -1) : text)
  }

  end(): string {
    const held = this.#held
    this.#held = ''
    return held === '\r' ? '' : safeText(held)
  }
}
