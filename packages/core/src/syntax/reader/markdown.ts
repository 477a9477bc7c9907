import { MARK, type StopTable, stopTable, TAG } from '../stop-table.ts'
import { BACKTICK, CR, GREATER, isBlank, isDigit, LESS, LF, SPACE, TAB, TILDE } from './char-codes.ts'
import { CodeFence } from './code-fence.ts'
import { CodeSpans } from './code-spans.ts'
import type { Opening } from './opening.ts'
import type { ReaderTags } from './reader-tags.ts'
import { ShownPlaces } from './shown-places.ts'
import { type Settled, SpanEnd } from './span-end.ts'

/** What may begin at the place where a scan stopped: a call, or a tag that means something to the reader itself. */
export type Found = 'call' | 'tag' | 'call or tag'

/** Where the scanner is in its line; the pictures are at the cases of `scan`. */
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

const BRACKET = 91
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
  readonly #lineMarks: string
  readonly #lineTags: string
  readonly #anywhere: boolean
  /** Nothing hides calls. */
  readonly #bare: boolean
  readonly #maxIndent: number
  readonly #fence: CodeFence
  /** Some fences hide nothing. */
  readonly #hasLiveFences: boolean
  #state: number = LINE
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
  constructor({ marks, where, lineMarks = '', liveFences = [] }: Opening, tags: ReaderTags, bare: boolean) {
    this.#lineTags = tags.lineMarks
    this.#anywhere = where === 'anywhere'
    this.#lineMarks = this.#anywhere ? lineMarks : marks + lineMarks
    this.#maxIndent = where === 'line' ? 0 : 3
    this.#fence = new CodeFence(liveFences)
    this.#hasLiveFences = liveFences.length > 0
    this.#bare = bare
    const own = bare ? [LF] : [LF, BACKTICK]
    this.#stops = stopTable(own, bare ? '' : `<${tags.marks}`, this.#anywhere ? marks : '')
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

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a switch over states, the hot loop over prose.
  #scan(text: string, at: number, base: number): number {
    const { ascii: stops, wide } = this.#stops
    let i = at
    while (i < text.length) {
      const code = text.charCodeAt(i)
      const state: number = this.#state
      switch (state) {
        // a line with `code` in it
        //   ^
        case BODY: {
          let stop = code < 128 ? stops[code] : wide?.has(code) ? MARK : 0
          while (stop === 0) {
            if (++i === text.length) return i
            const next = text.charCodeAt(i)
            stop = next < 128 ? stops[next] : wide?.has(next) ? MARK : 0
          }
          if (stop === MARK || stop === TAG) {
            if (!this.#pass) {
              this.found = stop === TAG ? 'tag' : 'call or tag'
              this.atLineStart = false
              return i
            }
            this.#pass = false
            i++
          } else if (text.charCodeAt(i) === LF) {
            this.#endBody()
            i++
          } else {
            this.#state = RUN
            this.#run = 0
            this.#runOffset = base + i
          }
          break
        }
        // a line with `` code `` in it
        //             ^^
        case RUN:
          if (code === BACKTICK) {
            this.#run++
            i++
          } else {
            this.#state = BODY
            if (this.#places.closes(this.#run)) break
            this.#places.endRun(this.#runOffset + this.#run)
            this.#spanUntil = this.#spans.add(this.#runOffset, this.#run)
            if (this.#spanUntil > 0) this.#state = SPAN
            else if (!this.#spans.pending) this.#opensFence = false
          }
          break
        // a line with `code` in it that had to be read to its end first
        //              ^
        case SPAN:
          i = Math.min(text.length, Math.max(i, this.#spanUntil - base))
          if (base + i >= this.#spanUntil) this.#state = BODY
          break
        //   - item
        // ^^
        case LINE:
          if (code === SPACE) {
            this.#column++
            i++
          } else if (code === TAB) {
            this.#column += 4 - (this.#column % 4)
            i++
          } else if (code === LF) {
            this.#newLine()
            i++
          } else if (code === CR) i++
          else if (this.#beginsLine(code)) return i
          else {
            if (this.#state === BULLET || this.#state === FOOTNOTE || (this.#state === BODY && this.#pass)) i++
            this.#pass = false
          }
          break
        // - item
        //  ^
        case BULLET:
          if (isBlank(code) || code === LF || code === CR) {
            this.#hidden = true
            this.#column++
            if (this.#listColumn < 0) this.#listColumn = this.#column + 1
            this.#state = LINE
          } else this.#state = this.#rest()
          break
        // 12. item
        //  ^
        case DIGITS:
          if (isDigit(code) && this.#run < 9) {
            this.#run++
            this.#column++
            i++
          } else if (code === 46 || code === 41) {
            this.#state = BULLET
            i++
          } else this.#state = this.#rest()
          break
        // [^1]: note
        //  ^
        case FOOTNOTE:
          this.#state = code === CARET ? HIDDEN : this.#rest()
          if (code === CARET) this.#listColumn = FOOTNOTE_COLUMN
          break
        // ```js
        //  ^
        case TICKS:
          if (code === BACKTICK) {
            this.#run++
            i++
          } else this.#endTicks(base + i)
          break
        // ~~~js
        //  ^
        case TILDES:
          if (code === TILDE) {
            this.#run++
            i++
          } else if (this.#run < 3) this.#state = this.#rest()
          else if (!this.#endsLiveFence(TILDE)) this.#beginInfo(TILDE, this.#run)
          break
        // ```js title
        //    ^
        case INFO:
          i = this.#fence.readInfo(text, i)
          if (i < text.length) i = this.#endInfo(text, i)
          break
        // code in a fence
        //  ^
        case FENCE:
          i = this.#fence.read(text, i)
          if (this.#fence.ended) {
            this.#newLine()
            this.#column = this.#fence.column
          }
          break
        // > quoted
        //   ^
        default: {
          const end = text.indexOf('\n', i)
          if (end < 0) return text.length
          this.#newLine()
          i = end + 1
        }
      }
    }
    return i
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

  /** The first character of a line that is not blank. True when something may begin here; else the state continues. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the rules for the start of a line, in their order.
  #beginsLine(code: number): boolean {
    if (!this.#hidden) {
      if (this.#listColumn >= 0 && this.#column >= this.#listColumn) this.#hidden = true
      else this.#listColumn = -1
    }
    if (!this.#hidden && !this.#pass) {
      const character = String.fromCharCode(code)
      const lineMark = (this.#bare || this.#column <= this.#maxIndent) && this.#lineMarks.includes(character)
      const { ascii, wide } = this.#stops
      const stop = code < 128 ? ascii[code] : wide?.has(code) ? MARK : 0
      const mark = lineMark || stop === MARK
      const tag =
        !this.#bare && (code === LESS || code === BRACKET || stop === TAG || this.#lineTags.includes(character))
      if (mark || tag) {
        this.found = !tag ? 'call' : mark ? 'call or tag' : 'tag'
        this.atLineStart = true
        return true
      }
    }
    this.#run = 0
    if (this.#bare) this.#state = BODY
    else if (code === BACKTICK) this.#state = TICKS
    else if (code === TILDE) this.#state = TILDES
    else if (code === GREATER) {
      this.#quoted = true
      this.#state = HIDDEN
    } else if (code === PIPE) this.#state = HIDDEN
    else if (code === BRACKET) this.#state = FOOTNOTE
    else if (code === 42 || code === 43 || code === 45) this.#state = BULLET
    else if (isDigit(code)) this.#state = DIGITS
    else this.#state = this.#rest()
    return false
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
