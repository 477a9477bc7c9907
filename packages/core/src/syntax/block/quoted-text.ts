import { endsInHalf } from '../../source/surrogates.ts'
import { CR, isBlank } from '../reader/char-codes.ts'
import { KeptText } from '../reader/kept-text.ts'

const BACKSLASH = 92
const APOSTROPHE = 39

const escapes: ReadonlyMap<string, string> = new Map([
  ...[...'0abefnrtv'].map((letter, index): [string, string] => [letter, '\0\x07\b\x1b\f\n\r\t\v'.charAt(index)]),
  ...[...' "/\\\t'].map((mark): [string, string] => [mark, mark]),
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
])
const digitsAfter: Readonly<Record<string, number>> = { x: 2, u: 4 }

/**
 * A quoted YAML text while it is being written. Text that is certain to be part of the value is sent: an escape once it
 * is complete, spaces once something follows them on their line, and line breaks (which are folded) with the text after
 * them. It may send less of the value than a parser would, but never anything different.
 *
 *     content: "fn main() {\n}"
 */
export class QuotedText {
  isClosed = false
  readonly #quote: number
  readonly #write: (text: string) => void
  readonly #sentText = new KeptText()
  /** Only a parser can read the rest, so nothing more is sent. */
  #stuck = false
  #heldSpaces = ''
  /** Line breaks since the last character, and whether a line's leading spaces are being skipped. */
  #breaks = 0
  #indent = false
  /** An incomplete escape. In single quotes: a quote that another may follow. */
  #escape = ''
  #highSurrogate = ''

  constructor(quote: string, write: (text: string) => void) {
    this.#quote = quote.charCodeAt(0)
    this.#write = write
  }

  /** Everything sent so far. The value begins with it. */
  get text(): string {
    return this.#sentText.toString()
  }

  read(text: string, start: number): void {
    let at = start
    while (at < text.length && !this.isClosed && !this.#stuck) {
      if (this.#escape !== '') {
        at = this.#readEscape(text, at)
        continue
      }
      const end = this.#nextMark(text, at)
      this.#take(text, at, end)
      at = end
      if (at === text.length) return
      if (text.charCodeAt(at) === CR) {
        this.#stuck = true
        return
      }
      this.#send('')
      if (this.#quote === APOSTROPHE || text.charCodeAt(at) === BACKSLASH) this.#escape = text.charAt(at)
      else this.isClosed = true
      at++
    }
  }

  endLine(): void {
    if (this.isClosed) return
    if (this.#quote === APOSTROPHE && this.#escape !== '') this.isClosed = true
    // An escaped line break joins two lines.
    else if (this.#escape !== '') this.#stuck ||= this.#escape !== '\\'
    else this.#breaks++
    this.#escape = ''
    this.#heldSpaces = ''
    this.#indent = true
  }

  /** The next character that may end the text or begin an escape. A CR may be part of a line break. */
  #nextMark(text: string, start: number): number {
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === this.#quote || code === CR || (code === BACKSLASH && this.#quote !== APOSTROPHE)) return at
    }
    return text.length
  }

  #readEscape(text: string, at: number): number {
    const next = text.charAt(at)
    if (this.#quote === APOSTROPHE) {
      this.#escape = ''
      if (next !== "'") this.isClosed = true
      else this.#send(next)
      return at + 1
    }
    this.#escape += next
    const digits = digitsAfter[this.#escape.charAt(1)]
    if (digits === undefined) {
      const character = escapes.get(next)
      if (character === undefined) this.#stuck = true
      else this.#send(character)
      this.#escape = ''
    } else if (this.#escape.length === digits + 2) {
      const hex = this.#escape.slice(2)
      if (/^[\da-f]+$/i.test(hex)) this.#send(String.fromCharCode(Number.parseInt(hex, 16)))
      else this.#stuck = true
      this.#escape = ''
    }
    return at + 1
  }

  #take(text: string, from: number, end: number): void {
    let start = from
    if (this.#indent) while (start < end && isBlank(text.charCodeAt(start))) start++
    let contentEnd = end
    while (contentEnd > start && isBlank(text.charCodeAt(contentEnd - 1))) contentEnd--
    if (contentEnd > start) this.#send(text.slice(start, contentEnd))
    this.#heldSpaces += text.slice(contentEnd, end)
  }

  /** Sends what was held back, then `text`. */
  #send(text: string): void {
    const gap = this.#breaks === 0 ? this.#heldSpaces : this.#breaks === 1 ? ' ' : '\n'.repeat(this.#breaks - 1)
    this.#heldSpaces = ''
    this.#breaks = 0
    this.#indent = false
    let all = this.#highSurrogate + gap + text
    this.#highSurrogate = ''
    if (endsInHalf(all)) {
      this.#highSurrogate = all.slice(-1)
      all = all.slice(0, -1)
    }
    if (all === '') return
    this.#sentText.append(all)
    this.#write(all)
  }
}
