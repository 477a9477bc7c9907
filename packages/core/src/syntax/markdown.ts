import { CodeSpans } from './code-spans.ts'
import { BACKTICK, CR, GREATER, isBlank, isBlankOrCr, isDigit, LESS, LF, SPACE, TAB, TILDE } from './codes.ts'

/** Where a syntax's calls may begin, and which fences do not hide them. */
export interface Opening {
  /** The characters that a call may begin with. */
  marks: string
  /**
   * `anywhere` in a line; `line`: only as the first character of a line; `indented`: with up to three blanks before it.
   * At a line's start the syntax sees a mark before Markdown does, so `>` and backticks can be marks there: that is how
   * calls live in quotes, or are fences themselves.
   */
  where: 'anywhere' | 'line' | 'indented'
  /** Further characters, that a call may begin with only as the first of a line. */
  lineMarks?: string
  /** The first words of fences that hide nothing, for syntaxes whose real calls stand in fences: `tool_code`. */
  liveFences?: readonly string[]
}

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
const FENCE_RUN = 11
const FENCE_TAIL = 12
const FENCE_BODY = 13
const FOOTNOTE = 14

/** What `#stops` says of a character within a line. */
const STOP = 1
const MARK = 2
const TAG = 3

const BACKSLASH = 92
const BRACKET = 91
const CARET = 94
const PIPE = 124
/** The column from which on the lines under a footnote belong to it. */
const FOOTNOTE_COLUMN = 4
const codeEnd = '</code>'

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
  /** For each code below 128: 0, or why a scan of a line's body stops there. */
  readonly #stops = new Uint8Array(128)
  /** The marks beyond ASCII. */
  readonly #wide: ReadonlySet<number> | undefined
  readonly #lineMarks: string
  readonly #anywhere: boolean
  /** Nothing hides calls. */
  readonly #bare: boolean
  readonly #maxIndent: number
  readonly #liveFences: readonly string[]
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
  #spanEnd = 0
  /** The pending run stands at the line's start and is a fence if no other backtick follows on the line. */
  #opensFence = false
  #fenceCode = 0
  #fenceLength = 0
  /** The first word behind the fence's ticks; only read where `liveFences` asks for it. */
  #info = ''
  /** The character and the length of a fence that hides nothing, until its closing line. */
  #liveCode = 0
  #liveLength = 0
  /** Where the last character ends that is no blank, and how many line breaks have come since. */
  #solidEnd = -1
  #breaks = 0
  /** How many backslashes the last piece ended in. */
  #slashes = 0
  /** Where the last run of backticks or `<code>` ended. */
  #runEnd = -1
  /** How long the last run is, and the run before a call that was only shown, until an equal one closes it. */
  #lastRun = 0
  #shownRun = 0
  /** How much of `</code>` has been seen. */
  #codeMatched = 0

  /** `tags`: the first characters of tags that mean something to the reader wherever they are. `bare`: nothing hides. */
  constructor({ marks, where, lineMarks = '', liveFences = [] }: Opening, tags = '', bare = false) {
    this.#anywhere = where === 'anywhere'
    this.#lineMarks = this.#anywhere ? lineMarks : marks + lineMarks
    this.#maxIndent = where === 'line' ? 0 : 3
    this.#liveFences = liveFences
    this.#bare = bare
    this.#stops[LF] = STOP
    if (!bare) this.#stops[BACKTICK] = STOP
    const wide = new Set<number>()
    const stopAt = (characters: string, why: number) => {
      for (const character of characters) {
        const code = character.charCodeAt(0)
        if (code < 128) this.#stops[code] = why
        else if (why === MARK) wide.add(code)
      }
    }
    if (!bare) stopAt(`<${tags}`, TAG)
    if (this.#anywhere) stopAt(marks, MARK)
    this.#wide = wide.size === 0 ? undefined : wide
  }

  /** Whether the text here is code depends on the rest of the line. */
  get pending(): boolean {
    return this.#spans.pending
  }

  /** The character at which the last scan stopped begins nothing: the next scan takes it as text. */
  pass(): void {
    this.#pass = true
  }

  /** A call or a reasoning has been read; what is behind it goes on in its line, or begins one. */
  resume(atLineStart: boolean): void {
    this.#newLine()
    if (!atLineStart) this.#state = BODY
    this.#pass = false
    this.#opensFence = false
    this.#spans.clear()
    this.#solidEnd = this.#runEnd = -1
    this.#slashes = this.#shownRun = 0
  }

  /** A call that is only shown has been read. The run of backticks before it can still close behind it. */
  resumeShown(): void {
    if (this.#runEnd >= 0) this.#shownRun = this.#lastRun
    this.#newLine()
    this.#state = BODY
    this.#pass = false
    this.#opensFence = false
    this.#solidEnd = -1
    this.#slashes = 0
  }

  /** `<code>` ends at `offset`: what follows is code if `</code>` comes on the same line. */
  beginCode(offset: number): void {
    if (this.#spans.pending) return
    this.#spans.add(offset, 0)
    this.#runEnd = offset
  }

  /** `</code>` has been read. */
  endCode(): void {
    if (this.#spans.pending && this.#spans.length === 0) this.#spans.clear()
    this.#runEnd = -1
  }

  /** The index in `text`, from `at` on, where something may begin, or its length. `base` is the offset of `text`. */
  scan(text: string, at: number, base: number): number {
    const end = this.#scan(text, at, base)
    this.#lookBack(text, at, end, base)
    return end
  }

  /** Notes what is directly before `end`, so that what begins there can be told from what is only shown. */
  #lookBack(text: string, at: number, end: number, base: number): void {
    let i = end - 1
    let breaks = 0
    while (i >= at) {
      const code = text.charCodeAt(i)
      if (code === LF) breaks++
      else if (!isBlankOrCr(code)) break
      i--
    }
    if (i >= at) {
      this.#solidEnd = base + i + 1
      this.#breaks = breaks
    } else this.#breaks += breaks
    let slashes = 0
    for (i = end - 1; i >= at && text.charCodeAt(i) === BACKSLASH; i--) slashes++
    this.#slashes = end - slashes > at ? slashes : this.#slashes + slashes
    if (end < text.length) {
      this.shown = this.#slashes % 2 === 1 || (this.#runEnd >= 0 && this.#isBehindRun())
    }
  }

  #isBehindRun(): boolean {
    return this.#solidEnd === this.#runEnd && this.#breaks <= 1 && !this.#spans.closes(this.#runEnd)
  }

  #scan(text: string, at: number, base: number): number {
    const stops = this.#stops
    const wide = this.#wide
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
            if (this.#closesShown()) break
            this.#runEnd = this.#runOffset + this.#run
            this.#spanEnd = this.#spans.add(this.#runOffset, this.#run)
            if (this.#spanEnd > 0) this.#state = SPAN
            else if (!this.#spans.pending) this.#opensFence = false
          }
          break
        // a line with `code` in it that had to be read to its end first
        //              ^
        case SPAN:
          i = Math.min(text.length, Math.max(i, this.#spanEnd - base))
          if (base + i >= this.#spanEnd) this.#state = BODY
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
          i = this.#readInfo(text, i)
          break
        //   ```
        // ^^
        case FENCE:
          if (code === this.#fenceCode) {
            this.#state = FENCE_RUN
            this.#run = 0
          } else if (isBlank(code) || code === LF) i++
          else this.#state = FENCE_BODY
          break
        //   ```
        //   ^
        case FENCE_RUN:
          if (code === this.#fenceCode) {
            this.#run++
            i++
          } else this.#state = this.#run >= this.#fenceLength ? FENCE_TAIL : FENCE_BODY
          break
        //   ```
        //      ^
        case FENCE_TAIL:
          if (code === LF) this.#newLine()
          else if (!isBlank(code) && code !== CR) this.#state = FENCE_BODY
          i++
          break
        // code in a fence
        //  ^
        case FENCE_BODY: {
          const end = text.indexOf('\n', i)
          if (end < 0) return text.length
          this.#state = FENCE
          i = end + 1
          break
        }
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
   * Reads on only to learn whether the text behind the pending run is code. Stops behind the run that closes the span,
   * or at the line's end, and says which it was; `undefined` when `text` ends before either. At a line's end the next
   * scan begins again at the offset `held`.
   */
  settle(
    text: string,
    at: number,
    base: number,
    held: number,
  ): { at: number; as: 'code' | 'fence' | 'line' } | undefined {
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (this.#endsCode(code)) return { at: i + 1, as: 'code' }
      if (code === BACKTICK) {
        if (this.#state !== RUN) {
          this.#state = RUN
          this.#run = 0
          this.#runOffset = base + i
        }
        this.#run++
        continue
      }
      if (this.#state === RUN) {
        this.#state = BODY
        this.#runEnd = this.#runOffset + this.#run
        this.#spans.add(this.#runOffset, this.#run)
        if (!this.#spans.pending) {
          this.#opensFence = false
          return { at: i, as: 'code' }
        }
      }
      if (code !== LF) continue
      if (this.#opensFence && this.#spans.single) return { at: i, as: 'fence' }
      this.#opensFence = false
      this.#spanEnd = this.#spans.resolve(base + i, held)
      if (this.#spanEnd > 0) this.#state = SPAN
      return { at: i, as: 'line' }
    }
    return undefined
  }

  /** Reads on in `</code>`, where that would end the code; true when it has come. */
  #endsCode(code: number): boolean {
    if (this.#spans.length !== 0) return false
    const goesOn = code === codeEnd.charCodeAt(this.#codeMatched)
    this.#codeMatched = goesOn ? this.#codeMatched + 1 : code === LESS ? 1 : 0
    if (this.#codeMatched < codeEnd.length) return false
    this.#codeMatched = 0
    this.endCode()
    return true
  }

  /** The first character of a line that is not blank. True when something may begin here; else the state goes on. */
  #beginsLine(code: number): boolean {
    if (!this.#hidden) {
      if (this.#listColumn >= 0 && this.#column >= this.#listColumn) this.#hidden = true
      else this.#listColumn = -1
    }
    if (!this.#hidden && !this.#pass) {
      const lineMark =
        (this.#bare || this.#column <= this.#maxIndent) && this.#lineMarks.includes(String.fromCharCode(code))
      const stop = code < 128 ? this.#stops[code] : this.#wide?.has(code) ? MARK : 0
      const mark = lineMark || stop === MARK
      const tag = !this.#bare && (code === LESS || code === BRACKET || stop === TAG)
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

  /** What a line goes on with that begins like a list item or a fence and is none. */
  #rest(): number {
    return this.#hidden ? HIDDEN : BODY
  }

  /** The backticks at a line's start have been read; the line may be a fence or begin with a code span. */
  #endTicks(offset: number): void {
    if (this.#endsLiveFence(BACKTICK)) return
    this.#runOffset = offset - this.#run
    if (this.#closesShown()) {
      this.#state = this.#rest()
      return
    }
    if (this.#run >= 3 && (this.#hidden || !this.#anywhere || this.#liveFences.length > 0)) {
      this.#beginInfo(BACKTICK, this.#run)
    } else {
      this.#state = this.#rest()
      if (this.#hidden) return
      this.#opensFence = this.#run >= 3
      this.#runEnd = offset
      this.#spans.add(offset - this.#run, this.#run)
    }
  }

  /** True when the run closes the code that a call was shown in. */
  #closesShown(): boolean {
    this.#lastRun = this.#run
    if (this.#run !== this.#shownRun) return false
    this.#shownRun = 0
    this.#runEnd = -1
    return true
  }

  /** True when the run at the line's start closes a fence that hides nothing. */
  #endsLiveFence(code: number): boolean {
    if (this.#liveLength === 0 || this.#liveCode !== code || this.#run < this.#liveLength) return false
    this.#liveLength = 0
    this.#state = HIDDEN
    return true
  }

  #beginInfo(code: number, length: number): void {
    this.#fenceCode = code
    this.#fenceLength = length
    this.#info = ''
    this.#state = INFO
  }

  /** Reads the rest of a fence's first line. A backtick in it means that there is no fence. */
  #readInfo(text: string, at: number): number {
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code === LF) {
        this.#beginFence()
        return i + 1
      }
      if (code === BACKTICK && this.#fenceCode === BACKTICK) {
        this.#state = this.#rest()
        if (!this.#hidden) this.#spans.add(this.#runOffset, this.#fenceLength)
        return i
      }
      if (this.#liveFences.length > 0 && this.#info.length < 64) this.#info += text.charAt(i)
    }
    return text.length
  }

  #beginFence(): void {
    const word = this.#info.trim().split(/\s/, 1)[0] ?? ''
    if (word !== '' && this.#liveFences.includes(word)) {
      this.#liveCode = this.#fenceCode
      this.#liveLength = this.#fenceLength
      this.#newLine()
    } else this.#state = FENCE
  }

  /** A line's body ends. A run at its start with no other backtick behind it was a fence. */
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
