import { endWith, type Fix, type Problems, reportUnclosedComment } from '../problems.ts'
import { isKnownAttribute, knownName } from '../vocabulary.ts'
import { type Attribute, readQuoted } from './attribute.ts'
import { type Landmarks, tagAt } from './landmarks.ts'
import { boundary, endsAttributes, startsAttribute, startsTag, unclosedEnd, unopenedEnd } from './lost-quote.ts'
import { isBlank, isEmptyElement, type TagName } from './tag.ts'

const LT = 60
const GT = 62
const SLASH = 47
const EQUALS = 61
const DOUBLE = 34
const SINGLE = 39
const BACKSLASH = 92
const NO_ATTRIBUTES: Attribute[] = []
/** A value is looked through for its lost end only so far. */
const LONGEST_GUESS = 10_000

/**
 * Reads the inside of opening tags. One that has lost a quote or its `>` is reported once, at the place, and ends where it
 * most likely did; what follows it is read as usual.
 */
export class TagReader {
  end = 0
  selfClosing = false
  /** It has its `>`. */
  complete = true
  /** Something in it is wrong and was said, so that its attributes say nothing. */
  damaged = false
  /** The text ends inside of it. */
  isCut = false
  /** Something did not close: from here on a value ends at the next place to recover. */
  isGuessing = false
  readonly #source: string
  readonly #problems: Problems
  readonly #marks: Landmarks
  #name: TagName = 'user'
  #start = 0
  /** The attributes so far, and where the last one that means something ends. */
  readonly #found: Attribute[] = []
  #attributesEnd = 0
  /** Where a line starts with a word that is not an attribute, and whether more such words follow. */
  #stranger: number | undefined
  #isProse = false
  /** All up to the `>` of the tag are attributes. */
  #isList = false
  /** Where a value has lost a quote, which was said. */
  #lostQuoteAt: number | undefined

  constructor(source: string, problems: Problems, marks: Landmarks) {
    this.#source = source
    this.#problems = problems
    this.#marks = marks
  }

  /** Reads the tag that starts at `start`; the fields then describe it. */
  read(name: TagName, start: number): void {
    this.#name = name
    this.#start = start
    this.selfClosing = false
    this.complete = true
    this.damaged = false
    this.isCut = false
    this.#stranger = undefined
    this.#isProse = false
    this.#isList = false
    this.#lostQuoteAt = undefined
    this.#attributesEnd = start + 1 + name.length
    this.#inside(this.#attributesEnd)
  }

  /**
   *   | <doc src="a.md" local/>
   *         ^
   */
  #inside(from: number): void {
    const source = this.#source
    const said = this.#problems.count
    let at = from
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
      if (code === SLASH && this.#isLostEnd(at)) {
        this.selfClosing = true
        this.#unclosedTag(at, said, { start: at, end: at + 1, text: '/>' })
        this.end = at + 1
        return
      }
      if (at >= source.length || (code === LT && tagAt(source, at) !== undefined)) {
        this.#unclosedTag(at >= source.length ? at : this.#attributesEnd, said)
        return
      }
      if (isNameCharacter(code)) {
        at = this.#attribute(at)
        if (at < 0) return
      } else {
        this.#lookForProse(at, true)
        at = this.#junk(at)
      }
      if (this.#isProse) {
        this.#unclosedTag(this.#attributesEnd, said)
        return
      }
    }
  }

  /** Two words on a line that has no attribute: the tag had ended before them, unless all up to its `>` are attributes. */
  #lookForProse(at: number, isJunk: boolean): void {
    if (this.#isList) return
    const source = this.#source
    const first = this.#stranger
    if (first !== undefined && !/[\n\r]/.test(source.slice(first, at))) this.#isProse = isJunk || this.#isOpenLine(at)
    else if (/[\n\r][ \t]*$/.test(source.slice(Math.max(this.#attributesEnd, at - 200), at))) this.#stranger = at
    else this.#stranger = undefined
  }

  /**
   *   | <doc src="a.md" local/ and more
   *                          ^
   */
  #isLostEnd(at: number): boolean {
    if (startsTag(this.#source, at + 1)) return true
    return (
      isEmptyElement(this.#name) &&
      isBlank(this.#source.charCodeAt(at + 1)) &&
      !startsAttribute(this.#source, this.#name, at + 1)
    )
  }

  /** No `>` and no `=` on the rest of the line, and no attributes up to the `>` of the tag after it. */
  #isOpenLine(at: number): boolean {
    const rest = this.#source.slice(at, at + LONGEST_GUESS)
    const line = /^[^\n\r]*/.exec(rest)?.[0] ?? ''
    if (/[>=]/.test(line)) return false
    this.#isList = endsAttributes(rest)
    return !this.#isList
  }

  /**
   *   | <user "a">
   *           ^
   */
  #junk(at: number): number {
    const source = this.#source
    const code = source.charCodeAt(at)
    if (!this.damaged) this.#badAttribute(at, at + 1, `\`${source[at]}\` is not allowed here.`)
    if (code !== DOUBLE && code !== SINGLE) return at + 1
    // A quote right after a name closes a value that lost its first one.
    if (!isBlank(source.charCodeAt(at - 1))) return at + 1
    const close = this.#marks.quote(code, at + 1)
    return close < source.length && boundary(this.#source, this.#name, at + 1, close) >= close ? close + 1 : at + 1
  }

  #badAttribute(start: number, end: number, message: string): void {
    const cure = 'Write attributes as `name="value"`, or as `name` alone for a flag.'
    this.damaged = true
    this.#problems.error('CHATMD_BAD_ATTRIBUTE', start, end, message, cure)
  }

  /**
   *   | <user id="a"
   *                 ^
   *   | <assistant>
   */
  #unclosedTag(end: number, said: number, fix?: Fix): void {
    this.complete = false
    this.end = end
    if (end >= this.#source.length) this.isCut = true
    if (this.#lostQuoteAt !== undefined && !this.#isProse) return
    this.damaged = true
    this.#problems.dropSince(said)
    while (this.#found.length > 0 && this.#found.at(-1)!.start >= end) this.#found.pop()
    this.#problems.error(
      'CHATMD_UNCLOSED_TAG',
      this.#start,
      this.#start + 1 + this.#name.length,
      `The tag \`<${this.#name}\` has no \`>\`.`,
      'End the tag with `>`, or with `/>` for an element without content.',
      fix ?? (end >= this.#source.length ? undefined : endWith(isEmptyElement(this.#name) ? '/>' : '>', end)),
    )
  }

  /** Behind blanks and comments; -1 when a comment does not end. */
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

  /** The place after the comment that begins here; -1 when it does not end. */
  #commentEnd(start: number): number {
    const end = this.#marks.commentEnd(start + 4)
    if (end < this.#source.length) return end + 3
    reportUnclosedComment(this.#problems, start)
    this.#breakOff(start + 4)
    return -1
  }

  /**
   *   | <doc src = "a.md" local/>
   *          ^
   * Gives the place after the attribute, or -1 when the tag broke off.
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
      if (!isKnownAttribute(this.#name, name)) this.#lookForProse(start, false)
      else this.#takeUpTo(nameEnd)
      return at
    }
    const valueStart = this.#skipBlanks(at + 1)
    if (valueStart < 0) return -1
    const quote = source.charCodeAt(valueStart)
    const end = quote === DOUBLE || quote === SINGLE ? this.#quoted(name, start, valueStart) : undefined
    const after = end ?? this.#bare(name, start, valueStart)
    if (after > 0) this.#takeUpTo(after)
    return after
  }

  #takeUpTo(end: number): void {
    if (this.#stranger === undefined) this.#attributesEnd = end
  }

  /**
   *   | <doc src = "a.md" local/>
   *                ^
   */
  #quoted(name: string, start: number, open: number): number {
    const source = this.#source
    const close = this.#closingQuote(open)
    if (close < 0) {
      this.#add(name, readQuoted(source.slice(open + 1, this.end)), start, this.end)
      return -1
    }
    const lost = unclosedEnd(this.#source, this.#name, open, close)
    if (lost === undefined) {
      this.#add(name, readQuoted(source.slice(open + 1, close)), start, close + 1)
      return close + 1
    }
    this.#reportLostQuote(open, lost)
    this.#add(name, readQuoted(source.slice(open + 1, lost)), start, lost)
    return lost
  }

  #reportLostQuote(open: number, end: number): void {
    const isFirst = !this.damaged
    this.damaged = true
    this.#lostQuoteAt ??= open
    if (!isFirst) return
    this.#problems.error(
      'CHATMD_UNCLOSED_QUOTE',
      open,
      open + 1,
      'The value that starts here has no closing quote.',
      'Close the quote; a quote inside the value is written `\\"` or `&quot;`.',
      endWith(this.#source[open]!, end),
    )
  }

  /**
   *   | <doc src=a.md local/>
   *              ^
   */
  #bare(name: string, start: number, valueStart: number): number {
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
    const opening = this.#lostOpening(valueStart)
    if (opening !== undefined) {
      this.#add(name, source.slice(valueStart, opening), start, opening + 1)
      return opening + 1
    }
    if (suspect && !this.damaged) {
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

  /** The end of a value that has lost its opening quote, which is said. */
  #lostOpening(valueStart: number): number | undefined {
    const at = unopenedEnd(this.#source, valueStart)
    if (at === undefined) return undefined
    if (!this.damaged) {
      const message = 'The value that starts here has no opening quote.'
      const fix = endWith(this.#source[at]!, valueStart)
      this.#problems.error('CHATMD_UNCLOSED_QUOTE', valueStart, at + 1, message, 'Open the quote.', fix)
    }
    this.damaged = true
    this.#lostQuoteAt ??= at
    return at
  }

  #add(name: string, value: string | true, start: number, end: number): void {
    this.#found.push({ name, value, start, end })
  }

  /** The attributes that were found, in an array of just their number. */
  takeAttributes(): Attribute[] {
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
    const limit = this.isGuessing ? this.#marks.recovery(open) : source.length
    let from = open + 1
    let at = this.#marks.quote(quote, from)
    for (;;) {
      const comment = this.#marks.comment(from)
      if (comment < at && comment < limit) {
        from = this.#commentEnd(comment)
        if (from === -1) return -1
        at = this.#marks.quote(quote, from)
        continue
      }
      if (at >= limit) {
        if (this.#marks.recovery(open) < source.length) return source.length
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

  /** The text ends inside this tag: it is taken to reach to the next place to recover. */
  #breakOff(from: number): void {
    this.complete = false
    this.isCut = true
    this.isGuessing = true
    this.end = this.#marks.recovery(from)
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
