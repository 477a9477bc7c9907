import { escapeJson } from '../../value/json-text.ts'
import type { JsonSink } from './json-sink.ts'
import { toLiteral } from './json-words.ts'
import { PythonString } from './python-string.ts'
import { QuotedString } from './quoted-string.ts'
import type { StringReader } from './string-reader.ts'

const APOSTROPHE = 39

const bareCharacter = /[\p{L}\p{N}\s_./~@%+\-:;!?&*#$']/u
const MAX_BARE_LENGTH = 1000

/**
 * Reads strings between a dialect's own delimiters, and what its models write instead: single quotes, possibly with a
 * delimiter after them, and words without quotes.
 */
export class DelimitedString implements StringReader {
  state: StringReader['state'] = 'none'
  problem: string | undefined
  repaired: string | undefined
  readonly #delimiter: string
  readonly #quoted: QuotedString
  readonly #single: PythonString
  #form: 'delimited' | 'single' | 'bare' | 'after' = 'bare'
  #hasBegun = false
  #heldText = ''

  constructor(delimiter: string) {
    this.#delimiter = delimiter
    this.#quoted = new QuotedString(delimiter)
    this.#single = new PythonString(`,)]}${delimiter.charAt(0)}`)
  }

  begins(code: number, isKey: boolean): boolean {
    const character = String.fromCharCode(code)
    return (
      code === this.#delimiter.charCodeAt(0) || (!isKey && (code === APOSTROPHE || /[\p{L}_./~@]/u.test(character)))
    )
  }

  isPrefix(): boolean {
    return false
  }

  begin(): void {
    this.state = 'reading'
    this.problem = this.repaired = undefined
    this.#hasBegun = false
    this.#heldText = ''
  }

  read(text: string, at: number, sink: JsonSink): number {
    if (!this.#hasBegun) this.#choose(text.charCodeAt(at))
    switch (this.#form) {
      case 'delimited':
        return this.#readDelimited(text, at, sink)
      case 'single':
        return this.#readSingle(text, at, sink)
      case 'bare':
        return this.#readBare(text, at, sink)
      default:
        return this.#readAfter(text, at)
    }
  }

  #choose(code: number): void {
    this.#hasBegun = true
    this.#form = code === APOSTROPHE ? 'single' : code === this.#delimiter.charCodeAt(0) ? 'delimited' : 'bare'
    this.#quoted.begin()
    this.#single.begin()
  }

  /**
   *   | {path:<|"|>src/main.rs<|"|>}
   *           ^
   */
  #readDelimited(text: string, at: number, sink: JsonSink): number {
    const end = this.#quoted.read(text, at, sink)
    if (this.#quoted.state === 'none') this.state = 'none'
    if (this.#quoted.state !== 'closed') return end
    this.state = 'closed'
    if (this.#quoted.hasExtraBracket) {
      this.problem = `A string has one bracket too many next to \`${this.#delimiter}\`; put a string that begins or ends with a bracket in quotes.`
    }
    return end
  }

  /**
   *   | {path:'src/main.rs'<|"|>}
   *           ^
   */
  #readSingle(text: string, at: number, sink: JsonSink): number {
    const end = this.#single.read(text, at, sink)
    if (this.#single.state !== 'closed') return end
    this.problem = this.#single.problem
    this.repaired = this.#single.repaired
    if (this.problem !== undefined || text.charAt(end) !== this.#delimiter.charAt(0)) this.state = 'closed'
    else this.#form = 'after'
    return end
  }

  #readAfter(text: string, at: number): number {
    let i = at
    while (i < text.length && text.charAt(i) === this.#delimiter.charAt(this.#heldText.length)) {
      this.#heldText += text.charAt(i++)
      if (this.#heldText !== this.#delimiter) continue
      this.repaired = 'unpaired-delimiter'
      this.state = 'closed'
      return i
    }
    if (i < text.length) this.state = 'none'
    return i
  }

  /**
   *   | {city:San Francisco}
   *           ^
   */
  #readBare(text: string, at: number, sink: JsonSink): number {
    for (let i = at; i < text.length; i++) {
      const character = text.charAt(i)
      if (/[,\]})]/.test(character)) {
        this.#endBare(sink)
        return i
      }
      this.#heldText += character
      if (bareCharacter.test(character) && this.#heldText.length <= MAX_BARE_LENGTH) continue
      this.state = 'none'
      return i
    }
    return text.length
  }

  /** A colon in a value looks like the one after a key. */
  #endBare(sink: JsonSink): void {
    const word = this.#heldText.trim()
    const literal = toLiteral(word)
    this.state = 'closed'
    if (literal === undefined && /\n|:(?!\/\/)/.test(word)) {
      this.problem = 'A string with a colon or a line break in it needs quotes.'
    }
    sink.put(literal ?? `"${escapeJson(word)}"`)
    if (literal === undefined) this.repaired = 'unquoted-strings'
    else if (literal !== word) this.repaired = 'python-literals'
  }
}
