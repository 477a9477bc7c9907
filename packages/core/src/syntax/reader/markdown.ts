import { MARK, type StopTable, stopTable, TAG } from '../stop-table.ts'
import { BACKTICK, CR, GREATER, isBlank, isDigit, LF, SPACE, TAB, TILDE } from './char-codes.ts'
import { CodeFence } from './code-fence.ts'
import { CodeSpans } from './code-spans.ts'
import { type Found, LineStart, type Opening } from './opening.ts'
import type { ReaderTags } from './reader-tags.ts'
import { ShownPlaces } from './shown-places.ts'
import { type Settled, SpanEnd } from './span-end.ts'

/** Where the scanner is in its line: there is a method for each, with a picture. */
const LINE = 0
const BODY = 1
const RUN = 2
const SPAN = 3
const HIDDEN = 4
const BULLET = 5
const DIGITS = 6
const TICKS = 7
const TILDES = 8
const INFO = 9
const FENCE = 10
const FOOTNOTE = 11

const CLOSE_PAREN = 41
const STAR = 42
const PLUS = 43
const MINUS = 45
const DOT = 46
const OPEN_BRACKET = 91
const CARET = 94
const PIPE = 124
/** The column from which on the lines under a footnote belong to it. */
const FOOTNOTE_COLUMN = 4

/**
 * Finds, in text that arrives in pieces, the places where a call may begin: not in fences, code spans, quotes, list
 * items, table rows and footnotes. Reads every character once and keeps nothing of the text but a few numbers.
 *
 * A fence hides until its closing line, wherever that is indented, or to the end. A quote line and a table row hide
 * themselves. A list item and a footnote hide their own line and the lines that are indented under their text.
 */
export class Markdown {
  /** What may begin where the last scan stopped. */
  found: Found = 'call'
  /** What begins where the last scan stopped is only shown: a backslash, a lone run of backticks or `<code>` is before it. */
  shown = false
  /** The last scan stopped at the first character of a line that is not blank. */
  atLineStart = false
  /** The line before this one was a quote. */
  afterQuote = false
  readonly #spans = new CodeSpans()
  readonly #spanEnd = new SpanEnd(this.#spans)
  readonly #places = new ShownPlaces()
  readonly #stops: StopTable
  readonly #lineStart: LineStart
  readonly #anywhere: boolean
  /** Nothing hides calls. */
  readonly #bare: boolean
  readonly #fence: CodeFence
  /** Some fences hide nothing. */
  readonly #hasLiveFences: boolean
  #state: number = LINE
  /** Something may begin where the scan is. */
  #stopped = false
  /** The character at which the last scan stopped is text after all. */
  #pass = false
  /** The column of the next character, while the line has only blanks and list markers. */
  #column = 0
  /** The rest of this line is in a list item. */
  #hidden = false
  #quoted = false
  /** Lines that start at this column or further right belong to the list item above; -1 outside lists. */
  #listColumn = -1
  /** The length of the run that is being read, and where it began. */
  #run = 0
  #runOffset = 0
  /** Where the code span ends that is being passed over. */
  #spanUntil = 0
  /** The pending run is at the line's start and is a fence if no other backtick follows on the line. */
  #opensFence = false

  /** `tags`: those that mean something to the reader itself. `bare`: nothing hides. */
  constructor(opening: Opening, tags: ReaderTags, bare: boolean) {
    const { marks, where, liveFences = [] } = opening
    this.#anywhere = where === 'anywhere'
    this.#fence = new CodeFence(liveFences)
    this.#hasLiveFences = liveFences.length > 0
    this.#bare = bare
    const own = bare ? [LF] : [LF, BACKTICK]
    this.#stops = stopTable(own, bare ? '' : `<${tags.marks}`, this.#anywhere ? marks : '')
    this.#lineStart = new LineStart(opening, tags, bare, this.#stops)
  }

  /** Whether the text here is code depends on the rest of the line. */
  get pending(): boolean {
    return this.#spans.pending
  }

  /** The character at which the last scan stopped begins nothing: the next scan takes it as text. */
  pass(): void {
    this.#pass = true
  }

  /** A call or a reasoning has been read; what is after it continues in its line, or begins one. */
  resume(atLineStart: boolean): void {
    this.#newLine()
    if (!atLineStart) this.#state = BODY
    this.#pass = false
    this.#opensFence = false
    this.#spans.clear()
    this.#places.clear()
  }

  /** A call that is only shown has been read. The run of backticks before it can still close after it. */
  resumeShown(): void {
    this.#places.clearShown()
    this.#newLine()
    this.#state = BODY
    this.#pass = false
    this.#opensFence = false
  }

  /** `<code>` ends at `offset`: what follows is code if `</code>` comes on the same line. */
  beginCode(offset: number): void {
    if (this.#spans.pending) return
    this.#spans.add(offset, 0)
    this.#places.endRun(offset)
  }

  /** `</code>` has been read. */
  endCode(): void {
    if (this.#spans.pending && this.#spans.length === 0) this.#spans.clear()
    this.#places.endCode()
  }

  /** The index in `text`, from `at` on, where something may begin, or its length. `base` is the offset of `text`. */
  scan(text: string, at: number, base: number): number {
    const end = this.#scan(text, at, base)
    this.#places.pass(text, at, end, base)
    if (end < text.length) this.shown = this.#places.isShown(this.#closesSpan)
    return end
  }

  #scan(text: string, at: number, base: number): number {
    let i = at
    this.#stopped = false
    while (i < text.length && !this.#stopped) {
      switch (this.#state) {
        case BODY:
          i = this.#readBody(text, i, base)
          break
        case LINE:
          i = this.#readLine(text, i)
          break
        case RUN:
          i = this.#readRun(text, i)
          break
        case SPAN:
          i = this.#readSpan(text, i, base)
          break
        case BULLET:
          i = this.#readBullet(text, i)
          break
        case DIGITS:
          i = this.#readDigits(text, i)
          break
        case FOOTNOTE:
          i = this.#readFootnote(text, i)
          break
        case TICKS:
          i = this.#readTicks(text, i, base)
          break
        case TILDES:
          i = this.#readTildes(text, i)
          break
        case INFO:
          i = this.#readInfo(text, i)
          break
        case FENCE:
          i = this.#readFence(text, i)
          break
        default:
          i = this.#readHidden(text, i)
      }
    }
    return i
  }

  /** A line with text, up to where something may begin. */
  // a line with `code` in it
  //   ^
  #readBody(text: string, at: number, base: number): number {
    const { ascii: stops, wide } = this.#stops
    let stop: number | undefined = 0
    let i = at
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i)
      stop = code < 128 ? stops[code] : wide?.has(code) ? MARK : 0
      if (stop !== 0) break
    }
    if (stop === 0) return i
    if (stop === MARK || stop === TAG) {
      if (!this.#pass) return this.#stop(i, stop === TAG ? 'tag' : 'call or tag', false)
      this.#pass = false
      return i + 1
    }
    if (text.charCodeAt(i) === LF) {
      this.#endBody()
      return i + 1
    }
    this.#state = RUN
    this.#run = 0
    this.#runOffset = base + i
    return i
  }

  // a line with `` code `` in it
  //             ^^
  #readRun(text: string, at: number): number {
    const i = this.#readRunOf(BACKTICK, text, at)
    if (i === text.length) return i
    this.#state = BODY
    if (this.#places.closes(this.#run)) return i
    this.#places.endRun(this.#runOffset + this.#run)
    this.#spanUntil = this.#spans.add(this.#runOffset, this.#run)
    if (this.#spanUntil > 0) this.#state = SPAN
    else if (!this.#spans.pending) this.#opensFence = false
    return i
  }

  /** Code in a line that had to be read to its end first. */
  // a line with `code` in it
  //              ^
  #readSpan(text: string, at: number, base: number): number {
    const i = Math.min(text.length, Math.max(at, this.#spanUntil - base))
    if (base + i >= this.#spanUntil) this.#state = BODY
    return i
  }

  /** The blanks before a line's text, also after a list marker, and its first character. */
  //   - item
  // ^^^^
  #readLine(text: string, at: number): number {
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code === SPACE) this.#column++
      else if (code === TAB) this.#column += 4 - (this.#column % 4)
      else if (code === LF) this.#newLine()
      else if (code !== CR) return this.#beginLine(code, i)
    }
    return text.length
  }

  // - item
  //  ^
  #readBullet(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (isBlank(code) || code === LF || code === CR) {
      this.#hidden = true
      this.#column++
      if (this.#listColumn < 0) this.#listColumn = this.#column + 1
      this.#state = LINE
    } else this.#state = this.#rest()
    return at
  }

  // 12. item
  //  ^
  #readDigits(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (isDigit(code) && this.#run < 9) {
      this.#run++
      this.#column++
      return at + 1
    }
    if (code === DOT || code === CLOSE_PAREN) {
      this.#state = BULLET
      return at + 1
    }
    this.#state = this.#rest()
    return at
  }

  // [^1]: note
  //  ^
  #readFootnote(text: string, at: number): number {
    const isFootnote = text.charCodeAt(at) === CARET
    this.#state = isFootnote ? HIDDEN : this.#rest()
    if (isFootnote) this.#listColumn = FOOTNOTE_COLUMN
    return at
  }

  // ```js
  //  ^
  #readTicks(text: string, at: number, base: number): number {
    const i = this.#readRunOf(BACKTICK, text, at)
    if (i < text.length) this.#endTicks(base + i)
    return i
  }

  // ~~~js
  //  ^
  #readTildes(text: string, at: number): number {
    const i = this.#readRunOf(TILDE, text, at)
    if (i === text.length) return i
    if (this.#run < 3) this.#state = this.#rest()
    else if (!this.#endsLiveFence(TILDE)) this.#beginInfo(TILDE, this.#run)
    return i
  }

  /** Where the run of this character ends, as far as it is there. */
  #readRunOf(code: number, text: string, at: number): number {
    let i = at
    while (i < text.length && text.charCodeAt(i) === code) i++
    this.#run += i - at
    return i
  }

  // ```js title
  //    ^
  #readInfo(text: string, at: number): number {
    const i = this.#fence.readInfo(text, at)
    return i < text.length ? this.#endInfo(text, i) : i
  }

  // code in a fence
  //  ^
  #readFence(text: string, at: number): number {
    const i = this.#fence.read(text, at)
    if (this.#fence.ended) {
      this.#newLine()
      this.#column = this.#fence.column
    }
    return i
  }

  /** The rest of a line in which nothing can begin. */
  // > quoted
  //   ^
  #readHidden(text: string, at: number): number {
    const end = text.indexOf('\n', at)
    if (end < 0) return text.length
    this.#newLine()
    return end + 1
  }

  /**
   * Reads on only to learn whether the text after the pending run is code. Stops after the run that closes the span,
   * or at the line's end, and says which it was; `undefined` when `text` ends before either. At a line's end the next
   * scan begins again at the offset `held`.
   */
  settle(text: string, at: number, base: number, held: number): Settled | undefined {
    const settled = this.#spanEnd.read(text, at, base, held, this.#opensFence, this.#endRun)
    if (settled === undefined) return undefined
    this.#state = BODY
    if (settled.as === 'code' && this.#spans.length === 0) this.endCode()
    if (settled.as !== 'fence') this.#opensFence = false
    this.#spanUntil = settled.spanEnd
    if (this.#spanUntil > 0) this.#state = SPAN
    return settled
  }

  readonly #closesSpan = (offset: number): boolean => this.#spans.closes(offset)

  readonly #endRun = (offset: number): void => this.#places.endRun(offset)

  /** Something may begin at `at`: the scan ends there. */
  #stop(at: number, found: Found, atLineStart: boolean): number {
    this.found = found
    this.atLineStart = atLineStart
    this.#stopped = true
    return at
  }

  /** The first character of a line that is not blank. */
  #beginLine(code: number, at: number): number {
    if (!this.#hidden) {
      if (this.#listColumn >= 0 && this.#column >= this.#listColumn) this.#hidden = true
      else this.#listColumn = -1
    }
    const found = this.#hidden || this.#pass ? undefined : this.#lineStart.find(code, this.#column)
    if (found !== undefined) return this.#stop(at, found, true)
    this.#run = 0
    this.#state = this.#lineState(code)
    const isRead = this.#state === BULLET || this.#state === FOOTNOTE || (this.#state === BODY && this.#pass)
    this.#pass = false
    return isRead ? at + 1 : at
  }

  /** What a line is, or may turn out to be, that begins with this character. */
  #lineState(code: number): number {
    if (this.#bare) return BODY
    switch (code) {
      case BACKTICK:
        return TICKS
      case TILDE:
        return TILDES
      case GREATER:
        this.#quoted = true
        return HIDDEN
      case PIPE:
        return HIDDEN
      case OPEN_BRACKET:
        return FOOTNOTE
      case STAR:
      case PLUS:
      case MINUS:
        return BULLET
      default:
        return isDigit(code) ? DIGITS : this.#rest()
    }
  }

  /** What a line continues with that begins like a list item or a fence and is not one. */
  #rest(): number {
    return this.#hidden ? HIDDEN : BODY
  }

  /** The backticks at a line's start have been read; the line may be a fence or begin with a code span. */
  #endTicks(offset: number): void {
    if (this.#endsLiveFence(BACKTICK)) return
    this.#runOffset = offset - this.#run
    if (this.#places.closes(this.#run)) {
      this.#state = this.#rest()
      return
    }
    if (this.#run >= 3 && (this.#hidden || !this.#anywhere || this.#hasLiveFences)) {
      this.#beginInfo(BACKTICK, this.#run)
    } else {
      this.#state = this.#rest()
      if (this.#hidden) return
      this.#opensFence = this.#run >= 3
      this.#places.endRun(offset)
      this.#spans.add(offset - this.#run, this.#run)
    }
  }

  /** True when the run at the line's start closes a fence that hides nothing. */
  #endsLiveFence(code: number): boolean {
    if (!this.#fence.endsLive(code, this.#run)) return false
    this.#state = HIDDEN
    return true
  }

  #beginInfo(code: number, length: number): void {
    this.#fence.begin(code, length, this.#hidden ? this.#listColumn : 0)
    this.#state = INFO
  }

  /** A fence's first line has ended; or a backtick in it shows that it is not one. */
  #endInfo(text: string, at: number): number {
    if (text.charCodeAt(at) === LF) {
      this.#beginFence()
      return at + 1
    }
    this.#state = this.#rest()
    if (!this.#hidden) this.#spans.add(this.#runOffset, this.#fence.length)
    return at
  }

  #beginFence(): void {
    if (this.#fence.beginsLive()) this.#newLine()
    else this.#state = FENCE
  }

  /** A line's body ends. A run at its start with no other backtick after it was a fence. */
  #endBody(): void {
    if (this.#opensFence && this.#spans.single) {
      this.#beginInfo(BACKTICK, this.#spans.length)
      this.#beginFence()
    } else this.#newLine()
    this.#opensFence = false
    this.#spans.endLine()
  }

  #newLine(): void {
    this.#state = LINE
    this.#column = 0
    this.#hidden = false
    this.afterQuote = this.#quoted
    this.#quoted = false
  }
}
