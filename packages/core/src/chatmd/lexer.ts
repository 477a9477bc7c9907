import type { Attribute } from './attribute.ts'
import { readQuoted } from './attribute.ts'
import { Landmarks, tagAt } from './landmarks.ts'
import { Problems } from './problems.ts'
import { isBlank, type TagName } from './tag.ts'
import { knownName } from './vocabulary.ts'

export type TokenType = 'text' | 'raw' | 'comment' | 'open' | 'close'

/** A stretch of the source. The tokens of a text cover it without gap or overlap. */
export interface Token {
  type: TokenType
  start: number
  end: number
  /** Of a tag. */
  name?: TagName
  attributes?: Attribute[]
  selfClosing?: boolean
  /** False where the source ends, or the next tag begins, before this token does. */
  complete: boolean
}

const LT = 60
const GT = 62
const SLASH = 47
const EQUALS = 61
const DOUBLE = 34
const SINGLE = 39
const BACKSLASH = 92
const NO_ATTRIBUTES: Attribute[] = []

/**
 * Cuts a text into tokens, one at a time, without allocating any: after `next()` the fields describe the token.
 * Linear for every text, also for one in which nothing is ever closed.
 */
export class Lexer {
  type: TokenType = 'text'
  start = 0
  end = 0
  name: TagName = 'user'
  attributes: Attribute[] = NO_ATTRIBUTES
  selfClosing = false
  complete = true
  /** Where the token starts that the end of the text cut off; everything behind it was read by guess. */
  cutAt: number | undefined

  readonly #source: string
  readonly #problems: Problems
  readonly #marks: Landmarks
  /** The attributes of the tag so far. */
  readonly #found: Attribute[] = []
  /** The last place where a tag was recognised; its name is in `name`. */
  #tag = -1
  /** A quote did not close: from here on a value ends at the next place to recover. */
  #guessing = false

  constructor(source: string, problems: Problems) {
    this.#source = source
    this.#problems = problems
    this.#marks = new Landmarks(source)
  }

  /** Moves to the next token; false at the end of the text. */
  next(): boolean {
    const source = this.#source
    const start = this.end
    if (start >= source.length) return false
    this.start = start
    this.complete = true
    let at = start
    for (;;) {
      const lt = this.#marks.lt(at)
      const raw = this.#marks.raw(at)
      if (raw < lt) {
        if (raw === start) this.#lexRaw()
        else this.#set('text', raw)
        return true
      }
      if (lt === source.length) {
        this.#set('text', lt)
        return true
      }
      if (source.startsWith('<!--', lt)) {
        if (lt === start) this.#lexComment()
        else this.#set('text', lt)
        return true
      }
      if (this.#isTag(lt)) {
        if (lt !== start) this.#set('text', lt)
        else if (source.charCodeAt(lt + 1) === SLASH) this.#lexClose()
        else this.#lexOpen()
        return true
      }
      at = lt + 1
    }
  }

  /** True when a recognised tag starts at `at`; sets `name`. */
  #isTag(at: number): boolean {
    if (at === this.#tag) return true
    const name = tagAt(this.#source, at)
    if (name === undefined) return false
    this.#tag = at
    this.name = name
    return true
  }

  #set(type: TokenType, end: number): void {
    this.type = type
    this.end = end
  }

  /**
   *   | RAW|{ "path": "a" }|RAW
   *     ^
   */
  #lexRaw(): void {
    const close = this.#marks.rawEnd(this.start + 4)
    this.type = 'raw'
    if (close < this.#source.length) {
      this.end = close + 4
      return
    }
    this.#problems.error(
      'CHATMD_UNCLOSED_RAW',
      this.start,
      this.start + 4,
      'This RAW block is not closed.',
      'End it with `|RAW`.',
    )
    this.#breakOff(this.start + 4)
  }

  /**
   *   | <!-- never reaches the model -->
   *     ^
   */
  #lexComment(): void {
    const close = this.#marks.commentEnd(this.start + 4)
    this.type = 'comment'
    if (close < this.#source.length) {
      this.end = close + 3
      return
    }
    this.#unclosedComment(this.start)
    this.#breakOff(this.start + 4)
  }

  #unclosedComment(at: number): void {
    this.#problems.error(
      'CHATMD_UNCLOSED_COMMENT',
      at,
      at + 4,
      'This comment is not closed.',
      'End it with `-->`, or put the text into a RAW block.',
    )
  }

  /** The text ended inside this token: it is taken to reach to the next place to recover. */
  #breakOff(from: number): void {
    this.complete = false
    this.cutAt ??= this.start
    this.#guessing = true
    this.end = this.#marks.recovery(from)
  }

  /**
   *   | </user >
   *     ^
   */
  #lexClose(): void {
    this.type = 'close'
    this.attributes = NO_ATTRIBUTES
    this.selfClosing = false
    this.end = this.#source.indexOf('>', this.start) + 1
  }

  /**
   *   | <doc src="a.md" local/>
   *     ^
   */
  #lexOpen(): void {
    this.type = 'open'
    this.selfClosing = false
    this.#lexInside(this.start + 1 + this.name.length)
    this.attributes = this.#takeAttributes()
  }

  /**
   *   | <doc src="a.md" local/>
   *         ^
   */
  #lexInside(from: number): void {
    const source = this.#source
    let at = from
    let junk = false
    for (;;) {
      at = this.#skipBlanks(at)
      if (at < 0) return
      const code = source.charCodeAt(at)
      if (code === GT) {
        this.end = at + 1
        return
      }
      if (code === SLASH && source.charCodeAt(at + 1) === GT) {
        this.selfClosing = true
        this.end = at + 2
        return
      }
      if (at >= source.length || (code === LT && tagAt(source, at) !== undefined)) {
        this.#unclosedTag(at)
        return
      }
      if (isNameCharacter(code)) {
        at = this.#lexAttribute(at)
        if (at < 0) return
        continue
      }
      if (!junk) {
        junk = true
        this.#badAttribute(at, at + 1, `\`${source[at]}\` cannot stand here.`)
      }
      if (code === DOUBLE || code === SINGLE) {
        const open = at
        at = this.#closingQuote(open)
        if (at < 0) return
        if (source.slice(open, at).includes('\n<')) this.#suspectLines(open, at)
      }
      at++
    }
  }

  #badAttribute(start: number, end: number, message: string): void {
    const cure = 'Write attributes as `name="value"`, or as `name` alone for a flag.'
    this.#problems.error('CHATMD_BAD_ATTRIBUTE', start, end, message, cure)
  }

  /**
   *   | <user id="a"
   *                 ^
   *   | <assistant>
   */
  #unclosedTag(end: number): void {
    this.complete = false
    this.end = end
    if (end >= this.#source.length) this.cutAt ??= this.start
    this.#problems.error(
      'CHATMD_UNCLOSED_TAG',
      this.start,
      this.start + 1 + this.name.length,
      `The tag \`<${this.name}\` has no \`>\`.`,
      'End the tag with `>`, or with `/>` for an element without content.',
    )
  }

  /** Behind blanks and comments; -1 when a comment does not end. */
  #skipBlanks(from: number): number {
    const source = this.#source
    let at = from
    for (;;) {
      while (isBlank(source.charCodeAt(at))) at++
      if (source.charCodeAt(at) !== LT || !source.startsWith('<!--', at)) return at
      const end = this.#marks.commentEnd(at + 4)
      if (end === source.length) {
        this.#unclosedComment(at)
        this.#breakOff(at + 4)
        return -1
      }
      at = end + 3
    }
  }

  /**
   *   | <doc src = "a.md" local/>
   *          ^
   * Gives the place behind the attribute, or -1 when the tag broke off.
   */
  #lexAttribute(start: number): number {
    const source = this.#source
    let at = start
    while (isNameCharacter(source.charCodeAt(at))) at++
    const name = knownName(source, start, at) ?? source.slice(start, at)
    const nameEnd = at
    at = this.#skipBlanks(at)
    if (at < 0) return -1
    if (source.charCodeAt(at) !== EQUALS) {
      this.#add(name, true, start, nameEnd)
      return at
    }
    const valueStart = this.#skipBlanks(at + 1)
    if (valueStart < 0) return -1
    const quote = source.charCodeAt(valueStart)
    if (quote === DOUBLE || quote === SINGLE) {
      const close = this.#closingQuote(valueStart)
      const end = close < 0 ? this.end : close
      const raw = source.slice(valueStart + 1, end)
      if (close > 0 && raw.includes('\n<')) this.#suspectLines(valueStart, close)
      this.#add(name, readQuoted(raw), start, close < 0 ? end : end + 1)
      return close < 0 ? -1 : close + 1
    }
    return this.#lexBare(name, start, valueStart)
  }

  /**
   *   | <doc src=a.md local/>
   *              ^
   */
  #lexBare(name: string, start: number, valueStart: number): number {
    const source = this.#source
    let at = valueStart
    let suspect = false
    for (; at < source.length; at++) {
      const code = source.charCodeAt(at)
      if (isBlank(code) || code === GT || code === LT) break
      if (code === SLASH && source.charCodeAt(at + 1) === GT) break
      if (code === DOUBLE || code === SINGLE || code === EQUALS) suspect = true
    }
    if (at === valueStart) this.#badAttribute(start, at, `\`${name}=\` has no value.`)
    if (suspect) {
      this.#problems.warn(
        'CHATMD_SUSPECT_VALUE',
        valueStart,
        at,
        'A value without quotes contains a quote or `=`.',
        'Put the whole value between quotes.',
      )
    }
    this.#add(name, source.slice(valueStart, at), start, at)
    return at
  }

  #add(name: string, value: string | true, start: number, end: number): void {
    this.#found.push({ name, value, start, end })
  }

  /** The attributes that were found, in an array of just their number. */
  #takeAttributes(): Attribute[] {
    const found = this.#found
    if (found.length === 0) return NO_ATTRIBUTES
    const attributes = found.slice()
    found.length = 0
    return attributes
  }

  /**
   * The quote that closes the one at `open`, or -1 when the tag broke off.
   *
   *   | description="say \"hi\""
   *                 ^          ^
   */
  #closingQuote(open: number): number {
    const source = this.#source
    const quote = source.charCodeAt(open)
    const limit = this.#guessing ? this.#marks.recovery(open) : source.length
    let from = open + 1
    let at = this.#marks.quote(quote, from)
    for (;;) {
      const comment = this.#marks.comment(from)
      if (comment < at && comment < limit) {
        const end = this.#marks.commentEnd(comment + 4)
        if (end === source.length) {
          this.#unclosedComment(comment)
          this.#breakOff(comment + 4)
          return -1
        }
        from = end + 3
        at = this.#marks.quote(quote, from)
        continue
      }
      if (at >= limit) {
        this.#unclosedQuote(open)
        return -1
      }
      let slashes = 0
      while (at - slashes > from && source.charCodeAt(at - slashes - 1) === BACKSLASH) slashes++
      if (slashes % 2 === 0) break
      from = at + 1
      at = this.#marks.quote(quote, from)
    }
    return at
  }

  #unclosedQuote(open: number): void {
    this.#problems.error(
      'CHATMD_UNCLOSED_QUOTE',
      open,
      open + 1,
      'The value that starts here has no closing quote.',
      'Close the quote; a quote inside the value is written `\\"` or `&quot;`.',
    )
    this.#breakOff(open + 1)
  }

  /** A value that holds a line which starts with a tag has probably lost its closing quote. */
  #suspectLines(open: number, close: number): void {
    if (this.#marks.recovery(open) >= close) return
    const message = 'This value reaches over lines that start with a tag.'
    this.#problems.warn('CHATMD_SUSPECT_VALUE', open, open + 1, message, 'Close the quote where the value ends.')
  }
}

/** `[A-Za-z0-9_:-]` */
function isNameCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 58) ||
    code === 95 ||
    code === 45
  )
}

/** The tokens of a text. Together they are the text, whatever it is. */
export function* tokenize(source: string, problems: Problems = new Problems()): Generator<Token> {
  const lexer = new Lexer(source, problems)
  while (lexer.next()) {
    const { type, start, end, complete, name, attributes, selfClosing } = lexer
    const isTag = type === 'open' || type === 'close'
    yield isTag ? { type, start, end, complete, name, attributes, selfClosing } : { type, start, end, complete }
  }
}
