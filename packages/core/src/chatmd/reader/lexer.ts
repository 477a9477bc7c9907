import { type Fix, insertFix, Problems, reportUnclosedComment } from '../problems.ts'
import type { Attribute } from './attribute.ts'
import { Landmarks, tagAt } from './landmarks.ts'
import { LookAhead } from './look-ahead.ts'
import { isBlank, isEmptyElement, type TagName, tagNameAt } from './tag.ts'
import { TagReader } from './tag-reader.ts'

export type TokenType = 'text' | 'raw' | 'comment' | 'open' | 'close'

/** The tokens of a text cover it without gap or overlap. */
export interface ChatMdToken {
  type: TokenType
  start: number
  end: number
  name?: TagName
  attributes?: Attribute[]
  selfClosing?: boolean
  /** False if the source ends, or the next tag begins, before this token ends. */
  complete: boolean
}

const LT = 60
const SLASH = 47
const NO_ATTRIBUTES: Attribute[] = []

/**
 * Splits a text into tokens, one at a time, without allocating: after `next()` the fields describe the token. Linear
 * for every text, even if nothing in it is ever closed.
 */
export class Lexer {
  type: TokenType = 'text'
  start = 0
  end = 0
  name: TagName = 'user'
  attributes: Attribute[] = NO_ATTRIBUTES
  selfClosing = false
  complete = true
  damaged = false
  /** False for a RAW block without its `RAW|`. */
  opened = true
  within: TagName | undefined
  /** `within` accepts no tags except its own closing one: any other tag in it is text. */
  literal = false
  /** How many quoted elements of the same name a literal element's text has not closed. */
  quotedDepth = 0
  quotedAt: number | undefined
  /** The start of the token that the end of the text cut off. Anything after it is a guess. */
  cutAt: number | undefined

  readonly #source: string
  readonly #problems: Problems
  readonly #marks: Landmarks
  /** The last position where a tag was recognised, so that it is checked once. The tag's name is in `name`. */
  #tag = -1
  readonly #tags: TagReader
  readonly ahead: LookAhead
  #bodyAt = -1
  /** The literal element's text quotes complete elements of its own name. */
  nests = false
  #nestedAt = -1

  constructor(source: string, problems: Problems) {
    this.#source = source
    this.#problems = problems
    this.#marks = new Landmarks(source)
    this.ahead = new LookAhead(source)
    this.#tags = new TagReader(source, problems, this.#marks, this.ahead)
  }

  /** False at the end of the text. */
  next(): boolean {
    const source = this.#source
    const start = this.end
    if (start >= source.length) return false
    this.start = start
    this.complete = true
    this.damaged = false
    this.opened = true
    if (start === this.#bodyAt && this.#lexLostRaw()) return true
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
      if (this.#isTag(lt) && !this.#isQuoted(lt)) {
        if (lt !== start) this.#set('text', lt)
        else if (source.charCodeAt(lt + 1) === SLASH) this.#lexClose()
        else this.#lexOpen()
        return true
      }
      at = lt + 1
    }
  }

  /**
   * True for a tag that is only text, because a model or a tool wrote it.
   *
   *   | <assistant>Write <user> first.</assistant>
   *                      ^
   */
  #isQuoted(at: number): boolean {
    if (!this.literal) return false
    const { name, within } = this
    const isClosing = this.#source.charCodeAt(at + 1) === SLASH
    if (name === within) {
      if (!isClosing && this.#isNested(at)) this.quotedDepth++
      else if (isClosing && this.quotedDepth === 0) return false
      else if (isClosing) this.quotedDepth--
    } else if (!isClosing && (isHelperWithoutContent(name) || (name === 'summary' && within === 'reasoning'))) {
      return false
    }
    this.quotedAt ??= at
    return true
  }

  /**
   * Whether a nested element starts here. A position that is read twice, because a text ends before it, is counted
   * once.
   */
  #isNested(at: number): boolean {
    if (!this.ahead.startsLine(at) || at <= this.#nestedAt) return false
    this.#nestedAt = at
    return this.nests
  }

  #isTag(at: number): boolean {
    if (at === this.#tag) return true
    const name = tagAt(this.#source, at) ?? this.#halfClose(at)
    if (name === undefined) return false
    this.#tag = at
    this.name = name
    return true
  }

  /**
   * The name of the open element's closing tag if it lost its `>`: the next tag follows immediately.
   *
   *   | </user
   *     ^
   *   | <assistant>
   */
  #halfClose(at: number): TagName | undefined {
    const source = this.#source
    if (source.charCodeAt(at + 1) !== SLASH) return undefined
    const name = tagNameAt(source, at + 2)
    if (name === undefined || name !== this.within) return undefined
    let end = at + 2 + name.length
    while (isBlank(source.charCodeAt(end))) end++
    if (end === at + 2 + name.length) return undefined
    return end >= source.length || (source.charCodeAt(end) === LT && tagAt(source, end)) ? name : undefined
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
    const lostEnd = this.ahead.lostRawEnd(this.start + 4, close, this.within)
    if (lostEnd === undefined && close < this.#source.length) {
      this.end = close + 4
      return
    }
    const end = lostEnd ?? this.#marks.recovery(this.start + 4)
    this.#unclosedRaw(end === this.#source.length ? undefined : { start: end, end, text: this.#endOfRaw(end) })
    if (lostEnd === undefined) this.#breakOff(this.start + 4)
    else {
      this.complete = false
      this.end = end
    }
  }

  #unclosedRaw(fix: Fix | undefined): void {
    const message = 'This RAW block is not closed.'
    const cure = 'End it with `|RAW`.'
    this.#problems.error('CHATMD_UNCLOSED_RAW', this.start, this.start + 4, message, cure, fix)
  }

  /** On a separate line if there is a newline before it. */
  #endOfRaw(end: number): string {
    return this.#source.charCodeAt(end - 1) === 10 ? '|RAW\n' : '|RAW'
  }

  /**
   * A RAW block without its first mark.
   *
   *   | <tool_call …>
   *                  ^
   *   | {"path": "a"}
   *   | |RAW
   */
  #lexLostRaw(): boolean {
    const { start, within } = this
    const mark = within === undefined || this.literal ? undefined : this.ahead.lostRawStart(start, within)
    if (mark === undefined) return false
    const message = 'This `|RAW` ends a block without a `RAW|`.'
    const cure = 'Write `RAW|` where the block starts, or remove the mark.'
    this.#problems.error('CHATMD_UNOPENED_RAW', mark, mark + 4, message, cure, beginRaw(this.#source, start))
    this.#set('raw', mark + 4)
    this.opened = false
    return true
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
    reportUnclosedComment(this.#problems, this.start)
    this.#breakOff(this.start + 4)
  }

  /** The text ended inside this token, which extends to the next recovery position. */
  #breakOff(from: number): void {
    this.complete = false
    this.cutAt ??= this.start
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
    if (tagAt(this.#source, this.start) !== undefined) {
      this.end = this.#source.indexOf('>', this.start) + 1
      return
    }
    this.end = this.start + 2 + this.name.length
    const { start, end } = this
    const message = `The tag \`</${this.name}\` has no \`>\`.`
    if (this.#source.slice(end).trim() === '') this.cutAt ??= start
    this.#problems.error('CHATMD_UNCLOSED_TAG', start, end, message, 'End the tag with `>`.', insertFix('>', end))
  }

  /**
   *   | <doc src="a.md" local/>
   *     ^
   */
  #lexOpen(): void {
    const tag = this.#tags
    this.type = 'open'
    tag.read(this.name, this.start)
    this.end = tag.end
    this.selfClosing = tag.selfClosing
    this.complete = tag.complete
    this.damaged = tag.damaged
    this.attributes = tag.takeAttributes()
    if (tag.isCut) this.cutAt ??= this.start
    if (this.complete && !this.selfClosing && !isEmptyElement(this.name)) this.#bodyAt = this.end
  }
}

export function beginRaw(source: string, at: number): Fix {
  const code = source.charCodeAt(at)
  return { start: at, end: at, text: code === 10 || code === 13 ? '\nRAW|' : 'RAW|' }
}

function isHelperWithoutContent(name: TagName): boolean {
  return name === 'doc' || name === 'img' || name === 'import'
}

/** Joined, the tokens are the text, whatever it is. */
export function* tokenize(source: string, problems: Problems = new Problems()): Generator<ChatMdToken> {
  const lexer = new Lexer(source, problems)
  while (lexer.next()) {
    const { type, start, end, complete, name, attributes, selfClosing } = lexer
    const isTag = type === 'open' || type === 'close'
    yield isTag ? { type, start, end, complete, name, attributes, selfClosing } : { type, start, end, complete }
  }
}
