import { type Fix, insertFix, type Problems, reportUnclosedComment } from '../problems.ts'
import { isKnownAttribute, knownName } from '../vocabulary.ts'
import { type Attribute, readQuoted } from './attribute.ts'
import { type Landmarks, tagAt } from './landmarks.ts'
import type { LookAhead } from './look-ahead.ts'
import { isBlank, isEmptyElement, type TagName } from './tag.ts'

const LF = 10
const DASH = 45
const LT = 60
const GT = 62
const SLASH = 47
const EQUALS = 61
const DOUBLE = 34
const SINGLE = 39
const BACKSLASH = 92
const NO_ATTRIBUTES: Attribute[] = []
const QUOTE_CURE = 'Close the quote; a quote inside the value is written `\\"` or `&quot;`.'
/** Repairs are only searched for within this many characters. */
const LONGEST_FIX = 10_000

/**
 * Reads the inside of opening tags. A faulty tag is reported once, at the fault. Reading resumes at the next line that
 * begins with a section's tag, or at the closing tag of an element whose text a model or a tool wrote. Reading never
 * guesses where the lost quote or `>` was; the guess is only a `Fix`.
 */
export class TagReader {
  end = 0
  selfClosing = false
  complete = true
  damaged = false
  isCut = false
  readonly #source: string
  readonly #problems: Problems
  readonly #marks: Landmarks
  readonly #ahead: LookAhead
  #name: TagName = 'user'
  #start = 0
  readonly #attributes: Attribute[] = []
  #knownAttributesEnd = 0
  #unknownWordAt: number | undefined
  #resumeFrom = 0

  constructor(source: string, problems: Problems, marks: Landmarks, ahead: LookAhead) {
    this.#source = source
    this.#problems = problems
    this.#marks = marks
    this.#ahead = ahead
  }

  /** The fields then describe the tag that starts at `start`. */
  read(name: TagName, start: number): void {
    this.#name = name
    this.#start = start
    this.selfClosing = false
    this.complete = true
    this.damaged = false
    this.isCut = false
    this.#resumeFrom = start + 1
    this.#unknownWordAt = undefined
    this.#knownAttributesEnd = start + 1 + name.length
    this.#inside(this.#knownAttributesEnd)
  }

  /**
   *   | <doc src="a.md" local/>
   *         ^
   */
  #inside(from: number): void {
    const source = this.#source
    let at = from
    while (at >= 0) {
      at = this.#skipBlanks(at)
      if (at < 0) return
      const code = source.charCodeAt(at)
      if (code === GT && this.#isProse(at)) return this.#unclosedTag(at)
      if (code === GT || (code === SLASH && source.charCodeAt(at + 1) === GT)) {
        this.selfClosing = code === SLASH
        this.end = this.selfClosing ? at + 2 : at + 1
        return
      }
      if (at >= source.length || (code === LT && tagAt(source, at) !== undefined)) return this.#unclosedTag(at)
      if (!isNameCharacter(code)) return this.#junk(at)
      at = this.#attribute(at)
    }
  }

  /**
   *   | <user id="a"
   *                 ^
   *   | <assistant>
   */
  #unclosedTag(at: number): void {
    const message = `The tag \`<${this.#name}\` has no \`>\`.`
    const cure = 'End the tag with `>`, or with `/>` for an element without content.'
    const isEnd = at >= this.#source.length
    this.#break(
      'CHATMD_UNCLOSED_TAG',
      this.#start,
      this.#attributesStart,
      message,
      cure,
      isEnd ? undefined : this.#endFix,
    )
    this.isCut = isEnd
  }

  get #attributesStart(): number {
    return this.#start + 1 + this.#name.length
  }

  get #endFix(): Fix {
    const at = this.#knownAttributesEnd
    const slash = /^\s*\/(?=\s|$)/.exec(this.#source.slice(at, at + 100))?.[0]
    if (slash !== undefined) return insertFix('>', at + slash.length)
    return insertFix(isEmptyElement(this.#name) ? '/>' : '>', at)
  }

  /**
   * Something that is not an attribute. On a later line than the last attribute, the tag must have ended before it.
   *
   *   | <user "a">
   *           ^
   */
  #junk(at: number): void {
    const source = this.#source
    const next = source.charCodeAt(at + 1)
    const isHalf = source.charCodeAt(at) === SLASH && (isEmptyElement(this.#name) ? isBlank(next) : next === LF)
    if (source.charCodeAt(at) === SLASH && at + 1 >= source.length) return this.#unclosedTag(at + 1)
    if (isHalf || this.#unknownWordAt !== undefined || this.#hasLineEnd(at)) return this.#unclosedTag(at)
    const cure = 'Write attributes as `name="value"`, or as `name` alone for a flag.'
    this.#break('CHATMD_BAD_ATTRIBUTE', at, at + 1, `\`${source[at]}\` is not allowed here.`, cure)
  }

  /**
   * True for text after a lost `>`: words on a separate line, and a `>` that has a space before it or ends an arrow.
   */
  #isProse(at: number): boolean {
    const before = this.#source.charCodeAt(at - 1)
    return (
      this.#unknownWordAt !== undefined && (isBlank(before) || before === DASH) && this.#hasLineEnd(this.#unknownWordAt)
    )
  }

  #hasLineEnd(at: number): boolean {
    return /[\n\r]/.test(this.#source.slice(this.#knownAttributesEnd, at))
  }

  /** Reports this tag's fault, and makes reading resume at the next section. Returns -1. */
  #break(...[code, start, end, message, cure, fix]: Parameters<Problems['error']>): -1 {
    if (!this.damaged) this.#problems.error(code, start, end, message, cure, fix)
    this.complete = false
    this.damaged = true
    this.end = this.#ahead.resume(this.#name, this.#resumeFrom)
    return -1
  }

  /** The position after white space and comments; -1 if a comment is unclosed. */
  #skipBlanks(from: number): number {
    const source = this.#source
    let at = from
    for (;;) {
      while (isBlank(source.charCodeAt(at))) at++
      if (source.charCodeAt(at) !== LT || !source.startsWith('<!--', at)) return at
      at = this.#commentEnd(at)
      if (at === -1) return -1
    }
  }

  /** The position after the comment that begins here; -1 if it is unclosed. */
  #commentEnd(start: number): number {
    const end = this.#marks.commentEnd(start + 4)
    if (end < this.#source.length) {
      this.#resumeFrom = end + 3
      return end + 3
    }
    reportUnclosedComment(this.#problems, start)
    this.complete = false
    this.isCut = true
    this.end = this.#marks.recovery(start + 4)
    return -1
  }

  /**
   *   | <doc src = "a.md" local/>
   *          ^
   * Returns the position after the attribute, or -1 if the tag broke off.
   */
  #attribute(start: number): number {
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
    const isQuoted = quote === DOUBLE || quote === SINGLE
    return isQuoted ? this.#quoted(name, start, valueStart) : this.#bare(name, start, valueStart)
  }

  /**
   * A quote that seems to close a value belongs to another value if a section begins on a line between them, or if text
   * follows it immediately. The value has then lost its own closing quote.
   *
   *   | <config model="demo temperature="0.2"/>
   *                   ^
   */
  #quoted(name: string, start: number, open: number): number {
    const source = this.#source
    const close = this.#closingQuote(open)
    if (close < 0) return -1
    const next = source.charCodeAt(close + 1)
    const isEnd = close + 1 >= source.length || isBlank(next) || next === GT || next === SLASH || next === LT
    const section = this.#marks.recovery(open)
    if (close >= source.length || !isEnd) {
      this.isCut = close >= source.length && section >= source.length
      const fix = this.isCut ? undefined : insertFix(source[open]!, this.#likelyEnd(open + 1, section))
      const message = 'The value that starts here has no closing quote.'
      return this.#break('CHATMD_UNCLOSED_QUOTE', open, open + 1, message, QUOTE_CURE, fix)
    }
    this.#add(name, readQuoted(source.slice(open + 1, close)), start, close + 1)
    return close + 1
  }

  /** Where a value without its closing quote most likely ended: before another attribute, or before `>`. */
  #likelyEnd(from: number, limit: number): number {
    const text = this.#source.slice(from, Math.min(limit, from + LONGEST_FIX))
    for (const match of text.matchAll(/\s+([\w:-]+)(?=\s*=|\s|\/?>)|\/?>|\s+$/g)) {
      if (match[1] === undefined || isKnownAttribute(this.#name, match[1])) return from + match.index
    }
    return from + text.length
  }

  /**
   *   | <doc src=a.md local/>
   *              ^
   */
  #bare(name: string, start: number, valueStart: number): number {
    const source = this.#source
    let at = valueStart
    for (; at < source.length; at++) {
      const code = source.charCodeAt(at)
      if (isBlank(code) || code === GT || code === LT) break
      if (code === SLASH && source.charCodeAt(at + 1) === GT) break
    }
    if (at === valueStart) {
      const cure = 'Write attributes as `name="value"`, or as `name` alone for a flag.'
      this.isCut = at >= source.length
      return this.#break('CHATMD_BAD_ATTRIBUTE', start, at, `\`${name}=\` has no value.`, cure)
    }
    const value = source.slice(valueStart, at)
    const quoted = /^(?:\{[^<>]*?\}|[^=<>]*?)["'](?=[\s/>])/.exec(
      source.slice(valueStart, valueStart + LONGEST_FIX),
    )?.[0]
    if (quoted !== undefined) {
      const message = 'The value that starts here has no opening quote.'
      const fix = insertFix(quoted.at(-1)!, valueStart)
      return this.#break('CHATMD_UNCLOSED_QUOTE', valueStart, at, message, 'Open the quote.', fix)
    }
    if (/["'=]/.test(value)) {
      const message = 'A value without quotes contains a quote or `=`.'
      this.#problems.warn('CHATMD_SUSPECT_VALUE', valueStart, at, message, 'Put the whole value between quotes.')
    }
    this.#add(name, value, start, at)
    return at
  }

  #add(name: string, value: string | true, start: number, end: number): void {
    this.#attributes.push({ name, value, start, end })
    if (!isKnownAttribute(this.#name, name)) this.#unknownWordAt ??= start
    else {
      this.#unknownWordAt = undefined
      this.#knownAttributesEnd = end
    }
  }

  /** Without spare capacity. */
  takeAttributes(): Attribute[] {
    if (this.#attributes.length === 0) return NO_ATTRIBUTES
    return this.#attributes.splice(0)
  }

  /**
   * The quote that closes the one at `open`, the end of the text if a section begins before it, or -1 if an unclosed
   * comment breaks the tag off.
   *
   *   | description="say \"hi\""
   *                 ^          ^
   */
  #closingQuote(open: number): number {
    const source = this.#source
    const quote = source.charCodeAt(open)
    let from = open + 1
    let limit = this.#marks.recovery(open)
    let at = this.#marks.quote(quote, from)
    for (;;) {
      const comment = this.#marks.comment(from)
      if (comment < at && comment < limit) {
        from = this.#commentEnd(comment)
        if (from === -1) return -1
        if (from > limit) limit = this.#marks.recovery(from)
        at = this.#marks.quote(quote, from)
        continue
      }
      if (at >= limit) return source.length
      let slashes = 0
      while (at - slashes > from && source.charCodeAt(at - slashes - 1) === BACKSLASH) slashes++
      if (slashes % 2 === 0) return at
      from = at + 1
      at = this.#marks.quote(quote, from)
    }
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
