import { MARK, type StopTable, stopTable, TAG } from '../stop-table.ts'
import { BACKTICK, CR, LF, SPACE, TAB, TILDE } from './char-codes.ts'
import { CodeFence } from './code-fence.ts'
import { CodeSpans } from './code-spans.ts'
import { ExampleDetector } from './example-detector.ts'
import { CODE_COLUMN, IndentedCode } from './indented-code.ts'
import { LineMarker } from './line-marker.ts'
import {
  BODY,
  FENCE,
  HIDDEN,
  INFO,
  LINE,
  lineState,
  MARKER,
  QUOTE,
  RUN,
  SKIPPED,
  SPAN,
  TICKS,
  TILDES,
} from './line-states.ts'
import { LineStartTable, type Opening, type StopKind } from './opening.ts'
import { QuotedFence } from './quoted-fence.ts'
import type { ReaderTags } from './reader-tags.ts'
import { SpanEnd, type SpanResult } from './span-end.ts'

/**
 * Finds the places where a call may begin, in text that arrives in pieces: not in fences, code spans, indented code,
 * quotes, list items, table rows and footnotes. Reads every character once and keeps only a few numbers.
 *
 * A fence hides its content until its closing line, however that is indented, or to the end. A quote line and a table
 * row hide themselves. A list item and a footnote hide their own line and the lines indented under their text. In all
 * of them except fences and code spans, a comment or a `<pre>` may begin.
 */
export class Markdown {
  stopKind: StopKind = 'call'
  /** A call there is only an example: a backslash, a lone run of backticks or `<code>` precedes it. */
  isExample = false
  /** The last scan stopped at a line's first visible character. */
  atLineStart = false
  afterQuote = false
  readonly #spans = new CodeSpans()
  readonly #spanEnd = new SpanEnd(this.#spans)
  readonly #examples = new ExampleDetector()
  readonly #stops: StopTable
  readonly #hiddenStops: StopTable
  readonly #lineStart: LineStartTable
  readonly #callsAnywhere: boolean
  readonly #hidesNothing: boolean
  readonly #fence: CodeFence
  readonly #indented: IndentedCode
  readonly #quotedFence = new QuotedFence()
  readonly #marker = new LineMarker()
  readonly #hasLiveFences: boolean
  #state: number = LINE
  #isStopped = false
  /** The character where the last scan stopped is text after all. */
  #pass = false
  /** The column of the next character, while the line has only whitespace and list markers. */
  #column = 0
  #hidden = false
  #isQuoteLine = false
  /** Lines that begin at this column or further right belong to the list item above; -1 outside lists. */
  #listColumn = -1
  #run = 0
  #runOffset = 0
  #spanUntil = 0
  /** The pending run is at the start of the line, and opens a fence if no other backtick follows on the line. */
  #opensFence = false

  /** `tags`: those with a meaning for the reader itself. */
  constructor(opening: Opening, tags: ReaderTags, hidesNothing: boolean) {
    const { marks, where, liveFences = [], liveIndents = false } = opening
    this.#callsAnywhere = where === 'anywhere'
    this.#fence = new CodeFence(liveFences)
    this.#hasLiveFences = liveFences.length > 0
    this.#hidesNothing = hidesNothing
    const markdownStops = hidesNothing ? [LF] : [LF, BACKTICK]
    this.#indented = new IndentedCode(hidesNothing || liveIndents)
    this.#stops = stopTable(markdownStops, hidesNothing ? '' : `<${tags.marks}`, this.#callsAnywhere ? marks : '')
    this.#hiddenStops = stopTable([LF, BACKTICK], '<', '')
    this.#lineStart = new LineStartTable(opening, tags, hidesNothing, this.#stops)
  }

  /** Whether the text here is code depends on the rest of the line. */
  get pending(): boolean {
    return this.#spans.pending
  }

  /** No call begins in the rest of the line: it is indented code, a quote or a list item. */
  get isHidden(): boolean {
    return this.#hidden
  }

  /** Nothing begins where the last scan stopped. The next scan treats that character as text. */
  pass(): void {
    this.#pass = true
  }

  /** A call or reasoning has been read. The text after it continues its line, or begins a new one. */
  resume(atLineStart: boolean): void {
    this.#newLine()
    this.#indented.leave(atLineStart)
    if (!atLineStart) this.#state = BODY
    this.#pass = false
    this.#opensFence = false
    this.#spans.clear()
    this.#examples.clear()
  }

  /**
   * An HTML comment or element that ends at `offset` has been read. The text after it continues the line where it
   * began, or a later line if it contains a line break. At the start of a line, it leaves the rest of the line visible.
   * In code or a list item, the rest stays hidden.
   */
  resumeHtml(offset: number, hasBreak: boolean): void {
    this.#pass = false
    if (this.atLineStart && !this.#hidden) this.resume(true)
    else if (hasBreak && this.#hidden) this.#resumeHidden()
    else if (hasBreak) this.resume(false)
    else {
      this.#state = this.#rest()
      this.#examples.endHtml(offset)
    }
  }

  /** The line continues as code or as a list item, and so may the next one. */
  #resumeHidden(): void {
    this.#newLine()
    this.#hide()
    this.#opensFence = false
    this.#spans.clear()
    this.#examples.clear()
  }

  /** An example has been read. The run of backticks before it can still be closed after it. */
  resumeAfterExample(): void {
    this.#examples.resumeAfterExample()
    this.#newLine()
    this.#indented.leave()
    this.#state = BODY
    this.#pass = false
    this.#opensFence = false
  }

  /** `<code>` ends at `offset`. The text after it is code if `</code>` follows on the same line. */
  beginCode(offset: number): void {
    if (this.#spans.pending) return
    this.#spans.add(offset, 0)
    this.#endRun(offset)
  }

  endCode(): void {
    if (this.#spans.pending && this.#spans.length === 0) this.#spans.clear()
    if (!this.#hidden) this.#examples.endCode()
  }

  /**
   * The index in `text`, from `at` on, where something may begin, or the text's length. `base` is the offset of `text`.
   */
  scan(text: string, at: number, base: number): number {
    const end = this.#scan(text, at, base)
    this.#examples.pass(text, at, end, base)
    if (end < text.length) this.isExample = this.#examples.isExample(this.#closesSpan)
    return end
  }

  #scan(text: string, at: number, base: number): number {
    let i = at
    this.#isStopped = false
    while (i < text.length && !this.#isStopped) i = this.#step(text, i, base)
    return i
  }

  #step(text: string, at: number, base: number): number {
    switch (this.#state) {
      case BODY:
        return this.#readBody(text, at, base, this.#stops)
      case LINE:
        return this.#readLine(text, at)
      case HIDDEN:
        return this.#readBody(text, at, base, this.#hiddenStops)
      case RUN:
        return this.#readRun(text, at)
      case SPAN:
        return this.#readSpan(text, at, base)
      case MARKER:
        return this.#readMarker(text, at)
      case TICKS:
        return this.#readTicks(text, at, base)
      case TILDES:
        return this.#readTildes(text, at)
      case INFO:
        return this.#readInfo(text, at)
      case FENCE:
        return this.#readFence(text, at)
      case QUOTE:
        return this.#readQuote(text, at)
      default:
        return this.#readSkipped(text, at)
    }
  }

  /** A line with text, up to where something may begin: one of `table`. */
  // a line with `code` in it
  //   ^
  #readBody(text: string, at: number, base: number, table: StopTable): number {
    const { ascii: stops, wide } = table
    let stop: number | undefined = 0
    let i = at
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i)
      stop = code < 128 ? stops[code] : wide?.has(code) ? MARK : 0
      if (stop !== 0) break
    }
    if (stop === 0) return i
    if (stop === MARK || stop === TAG) {
      const kind = this.#hidden ? 'html' : stop === TAG ? 'tag' : 'call or tag'
      if (!this.#pass) return this.#stop(i, kind, false)
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
    const i = this.#findRunEnd(BACKTICK, text, at)
    if (i === text.length) return i
    this.#state = this.#rest()
    if (!this.#hidden && this.#examples.closes(this.#run)) return i
    this.#endRun(this.#runOffset + this.#run)
    this.#spanUntil = this.#spans.add(this.#runOffset, this.#run)
    if (this.#spanUntil > 0) this.#state = SPAN
    else if (!this.#spans.pending) this.#opensFence = false
    return i
  }

  /** A code span in a line that had to be read to its end first. */
  // a line with `code` in it
  //              ^
  #readSpan(text: string, at: number, base: number): number {
    const i = Math.min(text.length, Math.max(at, this.#spanUntil - base))
    if (base + i >= this.#spanUntil) this.#state = this.#rest()
    return i
  }

  /** The whitespace before a line's text, also after a list marker, and its first character. */
  //   - item
  // ^^^^
  #readLine(text: string, at: number): number {
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code === SPACE) this.#column++
      else if (code === TAB) this.#column += 4 - (this.#column % 4)
      else if (code === LF) this.#endEmptyLine()
      else if (code !== CR) return this.#beginLine(code, i)
    }
    return text.length
  }

  // 12. item
  // ^^^
  #readMarker(text: string, at: number): number {
    const i = this.#marker.read(text, at)
    const { kind, length } = this.#marker
    if (kind === 'part') return i
    if (kind === 'none') this.#state = this.#rest()
    else if (kind === 'footnote') {
      this.#hide()
      this.#listColumn = CODE_COLUMN
    } else {
      this.#hidden = true
      this.#column += length
      if (this.#listColumn < 0) this.#listColumn = this.#column + 1
      this.#state = LINE
    }
    return i
  }

  // ```js
  //  ^
  #readTicks(text: string, at: number, base: number): number {
    const i = this.#findRunEnd(BACKTICK, text, at)
    if (i < text.length) this.#endTicks(base + i)
    return i
  }

  // ~~~js
  //  ^
  #readTildes(text: string, at: number): number {
    const i = this.#findRunEnd(TILDE, text, at)
    if (i === text.length) return i
    if (this.#run < 3) this.#state = this.#rest()
    else if (!this.#endsLiveFence(TILDE)) this.#beginInfo(TILDE, this.#run)
    return i
  }

  #findRunEnd(code: number, text: string, at: number): number {
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
    if (this.#fence.hasEnded) {
      this.#newLine()
      this.#column = this.#fence.column
      this.#indented.leave()
      if (this.#column > 0) this.#indented.endEmptyLine()
    }
    return i
  }

  // > quoted
  // ^^
  #readQuote(text: string, at: number): number {
    const i = this.#quotedFence.read(text, at)
    if (i < text.length) this.#state = this.#quotedFence.isCode ? SKIPPED : HIDDEN
    return i
  }

  /** The rest of a line in which nothing can begin, not even a comment. */
  // > ```js
  //   ^
  #readSkipped(text: string, at: number): number {
    const end = text.indexOf('\n', at)
    if (end < 0) return text.length
    this.#newLine()
    return end + 1
  }

  /**
   * Learns whether the text after the pending run is code; see `SpanEnd.read`. If not, the next scan begins again at
   * `heldOffset`.
   */
  settle(text: string, at: number, base: number, heldOffset: number): SpanResult | undefined {
    const settled = this.#spanEnd.read(text, at, base, heldOffset, this.#opensFence, this.#endRun)
    if (settled === undefined) return undefined
    this.#state = this.#rest()
    if (settled.as === 'code' && this.#spans.length === 0) this.endCode()
    if (settled.as !== 'fence') this.#opensFence = false
    this.#spanUntil = settled.spanEnd
    if (this.#spanUntil > 0) this.#state = SPAN
    return settled
  }

  readonly #closesSpan = (offset: number): boolean => this.#spans.closes(offset)

  /** A run of backticks or `<code>` ended at `offset`. In a hidden line, no call can follow it anyway. */
  readonly #endRun = (offset: number): void => {
    if (!this.#hidden) this.#examples.endRun(offset)
  }

  #stop(at: number, stopKind: StopKind, atLineStart: boolean): number {
    this.stopKind = stopKind
    this.atLineStart = atLineStart
    this.#isStopped = true
    return at
  }

  #beginLine(code: number, at: number): number {
    if (!this.#hidden) {
      this.#hidden = this.#listColumn >= 0 && this.#column >= this.#listColumn
      if (this.#hidden) this.#indented.leave()
      else this.#listColumn = -1
    }
    const mark = this.#findAtStart(code)
    if (mark !== undefined) return this.#stop(at, mark, true)
    this.#run = 0
    this.#state = this.#hidesNothing ? BODY : lineState(code, this.#rest())
    if (this.#state === HIDDEN) this.#hide()
    else if (this.#state === QUOTE) this.#beginQuote()
    else if (this.#state === MARKER) this.#marker.begin()
    const isRead = this.#pass && (this.#state === BODY || this.#state === HIDDEN)
    this.#pass = false
    return isRead ? at + 1 : at
  }

  /** What may begin with this character, the first of its line. In indented code, it can't be a call. */
  #findAtStart(code: number): StopKind | undefined {
    if (this.#hidden) return undefined
    const isCode = this.#indented.beginLine(this.#column)
    this.#hidden = isCode
    if (this.#pass) return undefined
    const mark = this.#lineStart.find(code, this.#column)
    return !isCode || mark === undefined ? mark : mark === 'call' ? undefined : 'tag'
  }

  #beginQuote(): void {
    this.#hidden = true
    this.#isQuoteLine = true
    this.#quotedFence.begin()
  }

  #hide(): void {
    this.#hidden = true
    this.#state = HIDDEN
  }

  /** How a line continues that begins like a list item or a fence but isn't one. */
  #rest(): number {
    return this.#hidden ? HIDDEN : BODY
  }

  /** The backticks at the start of a line have been read. The line may be a fence or begin with a code span. */
  #endTicks(offset: number): void {
    if (this.#endsLiveFence(BACKTICK)) return
    this.#runOffset = offset - this.#run
    if (!this.#hidden && this.#examples.closes(this.#run)) {
      this.#state = this.#rest()
      return
    }
    if (this.#run >= 3 && (this.#hidden || !this.#callsAnywhere || this.#hasLiveFences)) {
      this.#beginInfo(BACKTICK, this.#run)
    } else {
      this.#state = this.#rest()
      this.#opensFence = this.#run >= 3
      this.#endRun(offset)
      this.#spans.add(offset - this.#run, this.#run)
    }
  }

  #endsLiveFence(code: number): boolean {
    if (!this.#fence.endsLive(code, this.#run)) return false
    this.#hide()
    return true
  }

  #beginInfo(code: number, length: number): void {
    this.#fence.begin(code, length, this.#hidden ? (this.#listColumn < 0 ? CODE_COLUMN : this.#listColumn) : 0)
    this.#state = INFO
  }

  /** A fence's first line has ended, or a backtick in it shows that it isn't a fence. */
  #endInfo(text: string, at: number): number {
    if (text.charCodeAt(at) === LF) {
      this.#beginFence()
      return at + 1
    }
    this.#state = this.#rest()
    this.#spans.add(this.#runOffset, this.#fence.length)
    return at
  }

  #beginFence(): void {
    if (this.#fence.beginsLive()) this.#newLine()
    else this.#state = FENCE
  }

  /** A line's body ends. If a run at its start has no other backtick after it, the run was a fence. */
  #endBody(): void {
    if (this.#opensFence && this.#spans.single) {
      this.#beginInfo(BACKTICK, this.#spans.length)
      this.#beginFence()
    } else this.#newLine()
    this.#opensFence = false
    this.#spans.endLine()
  }

  #endEmptyLine(): void {
    if (this.#hidden) this.#indented.leave()
    else this.#indented.endEmptyLine()
    this.#newLine()
  }

  #newLine(): void {
    this.#state = LINE
    this.#column = 0
    this.#hidden = false
    this.afterQuote = this.#isQuoteLine
    if (!this.#isQuoteLine) this.#quotedFence.leave()
    this.#isQuoteLine = false
  }
}
