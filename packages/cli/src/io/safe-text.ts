import { stripVTControlCharacters } from 'node:util'
import { endsInHalf, firstCharacters } from 'argot/stream'

/**
 * What could drive a terminal or turn the order of letters round: control characters except tab and line feed, line
 * separators, and everything that controls the writing direction.
 */
const unsafe = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\p{Bidi_Control}]/u
const everyUnsafe = new RegExp(unsafe, 'gu')

/** The text with its control characters as symbols, so that printing it prints and does nothing else. */
export function safeText(text: string): string {
  return unsafe.test(text) ? text.replaceAll('\r\n', '\n').replace(everyUnsafe, toSymbol) : text
}

/** JSON that means the same, with what could drive a terminal as escapes. */
export function escapeUnsafe(json: string): string {
  return unsafe.test(json) ? json.replace(everyUnsafe, toEscape) : json
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function toSymbol(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 32) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}

/** The beginning of a text as one safe line: without colours, with single spaces for blanks and line breaks. */
export function oneLine(text: string, limit = 1000): string {
  return safeText(stripVTControlCharacters(firstCharacters(text, limit)).replace(/\s+/g, ' ').trim())
}

/** Makes a text safe while it arrives in pieces: what a cut tears apart waits for its other half. */
export class SafeTextStream {
  /** A carriage return or the first half of a surrogate pair at the end of the last piece. */
  #held = ''

  push(piece: string): string {
    const text = this.#held + piece
    const torn = text.endsWith('\r') || endsInHalf(text)
    this.#held = torn ? text.slice(-1) : ''
    return safeText(torn ? text.slice(0, -1) : text)
  }

  end(): string {
    const held = this.#held
    this.#held = ''
    return held === '\r' ? '' : safeText(held)
  }
}
