import { isSpace } from '../../reader/char-codes.ts'
import { escapeJson } from '../../value/json-text.ts'
import type { JsonSink } from './json-sink.ts'
import type { StringReader } from './string-reader.ts'

const QUOTE = 34
const APOSTROPHE = 39
const BACKSLASH = 92

type StringPosition = 'start' | 'second' | 'third' | 'content' | 'escape' | 'quote' | 'quotes' | 'end'

/**
 * Reads Python strings: both quotes, triple quotes, raw strings, and Python's escapes. A quote the model forgot to
 * escape is content if there is no doubt: it is an apostrophe in a word, or one of a pair around a word.
 */
export class PythonString implements StringReader {
  state: StringReader['state'] = 'none'
  problem: string | undefined
  repaired: string | undefined
  #place: StringPosition = 'start'
  #quote = QUOTE
  #isTriple = false
  #isRaw = false
  /** Part of an escape, or the text after a quote that may be the last. */
  #heldText = ''
  /** The number of unescaped quotes in the content, apart from apostrophes. */
  #innerQuotes = 0
  #lastCharacter = ''
  readonly #followers: string

  constructor(followers = ',)]}:') {
    this.#followers = followers
  }

  begins(code: number): boolean {
    return code === QUOTE || code === APOSTROPHE
  }

  isPrefix(word: string, next: number): boolean {
    return /^[ru]$/i.test(word) && this.begins(next)
  }

  begin(prefix = ''): void {
    this.state = 'reading'
    this.problem = this.repaired = undefined
    this.#place = 'start'
    this.#isTriple = false
    this.#isRaw = prefix.toLowerCase() === 'r'
    this.#heldText = this.#lastCharacter = ''
    this.#innerQuotes = 0
  }

  read(text: string, at: number, sink: JsonSink): number {
    let i = at
    while (i < text.length && this.state === 'reading') {
      if (this.#place === 'content') i = this.#readContent(text, i, sink)
      else i += this.#step(text.charCodeAt(i), text.charAt(i), sink)
    }
    return i
  }

  /** Reads one character where each one matters. Returns 1 if it was consumed. */
  #step(code: number, character: string, sink: JsonSink): 0 | 1 {
    switch (this.#place) {
      case 'start':
        this.#quote = code
        this.#place = 'second'
        sink.put('"')
        return 1
      case 'second':
        this.#place = code === this.#quote ? 'third' : 'content'
        return code === this.#quote ? 1 : 0
      case 'third':
        this.#isTriple = code === this.#quote
        this.#place = this.#isTriple ? 'content' : 'end'
        return this.#isTriple ? 1 : 0
      case 'escape':
        return this.#readEscape(character, sink)
      case 'quotes':
        return this.#readQuotes(code, sink)
      case 'quote':
      case 'end':
        return this.#readAfterQuote(code, character, sink)
      default:
        return 1
    }
  }

  /**
   *   | path='src/lib.rs'
   *           ^
   */
  #readContent(text: string, at: number, sink: JsonSink): number {
    let i = at
    while (i < text.length) {
      const code = text.charCodeAt(i)
      if (code === this.#quote || code === BACKSLASH) break
      i++
    }
    if (i > at) this.#put(text.slice(at, i), sink)
    if (i === text.length) return i
    if (text.charCodeAt(i) === BACKSLASH) this.#place = 'escape'
    else this.#place = this.#isTriple ? 'quotes' : 'quote'
    this.#heldText = text.charAt(i)
    return i + 1
  }

  /**
   *   | pattern='\d+\x41'
   *               ^  ^
   */
  #readEscape(letter: string, sink: JsonSink): 0 | 1 {
    const sequence = this.#heldText + letter
    if (this.#isRaw) {
      this.#endEscape(sequence, sink)
      return 1
    }
    const character = simpleEscapes.get(sequence.slice(1))
    if (character !== undefined) {
      this.#endEscape(character, sink)
      return 1
    }
    if (isEscapeStart(sequence)) {
      this.#heldText = sequence
      return 1
    }
    const code = toCodePoint(this.#heldText)
    const isWhole = code !== undefined
    // A backslash that escapes nothing is kept.
    this.#endEscape(isWhole ? String.fromCodePoint(code) : this.#heldText.length > 1 ? this.#heldText : sequence, sink)
    return isWhole || this.#heldText.length > 1 ? 0 : 1
  }

  #endEscape(content: string, sink: JsonSink): void {
    this.#place = 'content'
    this.#put(content, sink)
  }

  /**
   *   | text='''it's'''
   *                 ^
   */
  #readQuotes(code: number, sink: JsonSink): 0 | 1 {
    if (code === this.#quote) {
      this.#heldText += String.fromCharCode(code)
      if (this.#heldText.length < 3) return 1
      this.#close(sink)
      return 1
    }
    this.#endEscape(this.#heldText, sink)
    return 0
  }

  /**
   * The text after a quote shows whether it was the last.
   *
   *   | command='sed -n '1,9p' a.txt', line=1
   *                      ^     ^       ^
   */
  #readAfterQuote(code: number, character: string, sink: JsonSink): 0 | 1 {
    if (isSpace(code)) {
      this.#heldText += character
      return 1
    }
    if (this.#followers.includes(character)) {
      if (this.#innerQuotes % 2 === 1) this.#refuse()
      else this.#close(sink)
      return 0
    }
    const isInner = this.#place === 'quote' && code !== this.#quote && this.#isInner(character)
    if (!isInner) this.#refuse()
    else {
      this.repaired = 'unescaped-quotes'
      this.#endEscape(this.#heldText, sink)
    }
    return 0
  }

  /** The quote just read is inside a word, or one of a pair around words. */
  #isInner(next: string): boolean {
    const isAdjacent = this.#heldText.length === 1
    if (isAdjacent && isLetter(this.#lastCharacter) && isLetter(next)) return this.#quote === APOSTROPHE
    const isFirst = this.#innerQuotes++ % 2 === 0
    return isFirst ? isAdjacent && /^[\s([{=]?$/.test(this.#lastCharacter) : !isAdjacent || !isLetter(next)
  }

  #refuse(): void {
    this.problem = 'A string contains an unescaped quote.'
    this.state = 'closed'
  }

  #close(sink: JsonSink): void {
    sink.put('"')
    this.state = 'closed'
  }

  #put(content: string, sink: JsonSink): void {
    this.#lastCharacter = content.charAt(content.length - 1)
    sink.put(escapeJson(content))
  }
}

function isLetter(character: string): boolean {
  return /[\p{L}\p{N}_]/u.test(character)
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['a', '\u0007'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['\n', ''],
])

/** True for the start of `\x41`, `\u00e9`, `\U0001f600` or `\101`. */
function isEscapeStart(sequence: string): boolean {
  return /^\\(?:x[\da-fA-F]{0,2}|u[\da-fA-F]{0,4}|U[\da-fA-F]{0,8}|[0-7]{1,3})$/.test(sequence)
}

function toCodePoint(sequence: string): number | undefined {
  const [, octal] = /^\\([0-7]{1,3})$/.exec(sequence) ?? []
  if (octal !== undefined) return Number.parseInt(octal, 8)
  const [, hex] = /^\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8}))$/.exec(sequence)?.filter(Boolean) ?? []
  const code = hex === undefined ? undefined : Number.parseInt(hex, 16)
  return code === undefined || code > 0x10_ff_ff ? undefined : code
}
