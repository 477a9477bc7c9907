import { BACKTICK, CR, isBlank, LF, TAB } from './char-codes.ts'

/** Positions in the fence. Each has a method with a picture. */
const LINE = 0
const RUN = 1
const TAIL = 2
const BODY = 3

/**
 * A code fence, from after the ticks or tildes that open it. It hides its content until its closing line, however that
 * is indented, or to the end of the text. A fence whose first word is one of `liveWords` hides nothing.
 *
 * A fence in a list item also ends with the item if an empty line precedes that point and the whole fence was indented
 * like the item.
 */
export class CodeFence {
  /** The code of the fence's character. */
  code = 0
  length = 0
  /** The fence ended where the last `read` stopped: after its closing line, or before a line that is outside. */
  hasEnded = false
  /** The column of the next character, while the line has only whitespace. */
  column = 0
  readonly #liveWords: readonly string[]
  /** The first characters after the ticks. Read only if there are live words. */
  #info = ''
  /** The character and length of a fence that hides nothing, until its closing line. */
  #liveCode = 0
  #liveLength = 0
  #state = LINE
  #run = 0
  /**
   * Lines from this column on belong to the list item around the fence; 0 outside lists, or if a line didn't belong.
   */
  #listColumn = 0
  #afterEmpty = false

  constructor(liveWords: readonly string[]) {
    this.#liveWords = liveWords
  }

  /** The ticks or tildes have been read. `listColumn` is where the surrounding list item's lines begin, 0 for none. */
  begin(code: number, length: number, listColumn: number): void {
    this.code = code
    this.length = length
    this.hasEnded = false
    this.#info = ''
    this.#state = LINE
    this.#listColumn = listColumn
    this.column = 0
    this.#afterEmpty = false
  }

  /**
   * Reads the rest of the first line, up to its end or to a backtick, which means that this isn't a fence.
   *
   *   | ```js title
   *        ^
   */
  readInfo(text: string, at: number): number {
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code === LF || (code === BACKTICK && this.code === BACKTICK)) return i
      if (this.#liveWords.length > 0 && this.#info.length < 64) this.#info += text.charAt(i)
    }
    return text.length
  }

  /** The first line has been read. Returns true if the fence hides nothing. */
  beginsLive(): boolean {
    const word = this.#info.trim().split(/\s/, 1)[0] ?? ''
    if (word === '' || !this.#liveWords.includes(word)) return false
    this.#liveCode = this.code
    this.#liveLength = this.length
    return true
  }

  /** True if this run at the start of a line closes a fence that hides nothing. */
  endsLive(code: number, length: number): boolean {
    if (this.#liveLength === 0 || this.#liveCode !== code || length < this.#liveLength) return false
    this.#liveLength = 0
    return true
  }

  /** `hasEnded` tells whether the fence ended at the returned index. */
  read(text: string, at: number): number {
    let i = at
    while (i < text.length && !this.hasEnded) {
      if (this.#state === LINE) i = this.#readLine(text, i)
      else if (this.#state === BODY) i = this.#readBody(text, i)
      else if (this.#state === RUN) i = this.#readRun(text, i)
      else i = this.#readTail(text, i)
    }
    return i
  }

  /**
   *   |   ```
   *     ^^
   */
  #readLine(text: string, at: number): number {
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (isBlank(code)) this.column += code === TAB ? 4 - (this.column % 4) : 1
      else if (code === LF) {
        this.#afterEmpty = true
        this.column = 0
      } else if (code !== CR) {
        if (code === this.code) this.#beginRun()
        else if (!this.#leavesList()) return this.#readBody(text, i)
        return i
      }
    }
    return text.length
  }

  /**
   *   |   ```
   *       ^
   */
  #readRun(text: string, at: number): number {
    if (text.charCodeAt(at) === this.code) {
      this.#run++
      return at + 1
    }
    this.#state = this.#run >= this.length ? TAIL : BODY
    return at
  }

  /**
   * The rest of a possible closing line: whitespace only.
   *
   *   |   ```
   *          ^
   */
  #readTail(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (code === LF) {
      this.hasEnded = true
      this.column = 0
    } else if (!isBlank(code) && code !== CR) this.#state = BODY
    return at + 1
  }

  /**
   *   | code in a fence
   *      ^
   */
  #readBody(text: string, at: number): number {
    const end = text.indexOf('\n', at)
    this.#state = end < 0 ? BODY : LINE
    if (end < 0) return text.length
    this.column = 0
    this.#afterEmpty = false
    return end + 1
  }

  #beginRun(): void {
    this.#state = RUN
    this.#run = 0
  }

  /** At a line's first character: true if the list item has ended, and the fence with it. */
  #leavesList(): boolean {
    if (this.column >= this.#listColumn) return false
    if (this.#afterEmpty) this.hasEnded = true
    else this.#listColumn = 0
    return this.hasEnded
  }
}
