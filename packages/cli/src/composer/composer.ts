import { graphemes } from './graphemes.ts'
import { layoutText } from './layout-text.ts'
import { cleanInput, PasteBlocks } from './paste-blocks.ts'

interface Snapshot {
  text: string
  cursor: number
}

/** The kind of the last change. Consecutive changes of one kind are undone together. */
type ChangeKind = 'type' | 'delete' | 'other'

const MOST_UNDO = 500
/** More than a model can read. An endless paste stops here. */
const LONGEST_TEXT = 1_000_000

/** The message being written: several lines, a cursor between graphemes, undo, and a register for cut text. */
export class Composer {
  readonly blocks: PasteBlocks = new PasteBlocks()
  #text = ''
  #cursor = 0
  #undo: Snapshot[] = []
  #redo: Snapshot[] = []
  #kind: ChangeKind = 'other'
  #cut = ''
  /** The column that Up and Down try to keep. */
  #goal: number | undefined

  get text(): string {
    return this.#text
  }

  get cursor(): number {
    return this.#cursor
  }

  get isEmpty(): boolean {
    return this.#text === ''
  }

  /** The text to send, with the full content of each paste. */
  get value(): string {
    return this.blocks.expand(this.#text)
  }

  get displayText(): string {
    return this.blocks.describe(this.#text)
  }

  insert(text: string): void {
    const clean = cleanInput(text)
    if (clean === '' || this.#text.length + clean.length > LONGEST_TEXT) return
    this.#replace(this.#cursor, this.#cursor, clean, clean === ' ' || clean.includes('\n') ? 'other' : 'type')
  }

  paste(text: string): void {
    const clean = cleanInput(text).slice(0, LONGEST_TEXT)
    if (clean !== '') this.#replace(this.#cursor, this.#cursor, this.blocks.add(clean), 'other')
  }

  replaceRange(start: number, end: number, text: string): void {
    this.#replace(start, end, cleanInput(text), 'other')
  }

  set(text: string): void {
    this.#replace(0, this.#text.length, text, 'other')
  }

  /** Empties the composer for the next message. Undo can't bring this one back. */
  reset(): void {
    this.#text = ''
    this.#cursor = 0
    this.#undo = []
    this.#redo = []
    this.#kind = 'other'
    this.#goal = undefined
  }

  deleteBack(): void {
    this.#replace(this.#before(), this.#cursor, '', 'delete')
  }

  deleteForward(): void {
    this.#replace(this.#cursor, this.#after(), '', 'delete')
  }

  left(): void {
    this.#move(this.#before())
  }

  right(): void {
    this.#move(this.#after())
  }

  wordLeft(): void {
    this.#move(this.#wordStart())
  }

  wordRight(): void {
    this.#move(this.#wordEnd())
  }

  lineStart(): void {
    this.#move(this.#lineBounds()[0])
  }

  lineEnd(): void {
    this.#move(this.#lineBounds()[1])
  }

  toStart(): void {
    this.#move(0)
  }

  toEnd(): void {
    this.#move(this.#text.length)
  }

  /** Moves by screen rows at this width. False at the first or last row. */
  moveRows(delta: number, columns: number): boolean {
    const { rows, cursorRow, cursorColumn } = layoutText(this.#text, this.#cursor, columns, this.blocks)
    const target = rows[cursorRow + delta]
    if (target === undefined) return false
    const goal = this.#goal ?? cursorColumn
    let width = 0
    let at = target.start
    for (const cell of target.cells) {
      if (width + cell.width > goal) break
      width += cell.width
      at = cell.start + cell.length
    }
    // The end of a wrapped row is the start of the next one.
    const isLast = rows[cursorRow + delta + 1]?.start !== target.end || this.#text[target.end] === '\n'
    if (at >= target.end && !isLast) at = target.cells.at(-1)?.start ?? target.start
    this.#move(at)
    this.#goal = goal
    return true
  }

  cutToLineEnd(): void {
    const [, end] = this.#lineBounds()
    this.#cutRange(this.#cursor, end === this.#cursor ? Math.min(end + 1, this.#text.length) : end)
  }

  cutToLineStart(): void {
    const [start] = this.#lineBounds()
    this.#cutRange(start === this.#cursor ? Math.max(0, start - 1) : start, this.#cursor)
  }

  cutWordBack(): void {
    this.#cutRange(this.#wordStart(), this.#cursor)
  }

  cutWordForward(): void {
    this.#cutRange(this.#cursor, this.#wordEnd())
  }

  yank(): void {
    if (this.#cut !== '') this.#replace(this.#cursor, this.#cursor, this.#cut, 'other')
  }

  undo(): void {
    this.#travel(this.#undo, this.#redo)
  }

  redo(): void {
    this.#travel(this.#redo, this.#undo)
  }

  #travel(from: Snapshot[], to: Snapshot[]): void {
    const state = from.pop()
    if (state === undefined) return
    to.push({ text: this.#text, cursor: this.#cursor })
    this.#text = state.text
    this.#cursor = state.cursor
    this.#kind = 'other'
    this.#goal = undefined
  }

  #cutRange(start: number, end: number): void {
    if (start === end) return
    this.#cut = this.#text.slice(start, end)
    this.#replace(start, end, '', 'other')
  }

  #replace(start: number, end: number, text: string, kind: ChangeKind): void {
    this.#goal = undefined
    if (start === end && text === '') return
    if (kind === 'other' || kind !== this.#kind) {
      this.#undo.push({ text: this.#text, cursor: this.#cursor })
      if (this.#undo.length > MOST_UNDO) this.#undo.shift()
    }
    this.#redo = []
    this.#kind = kind
    this.#text = this.#text.slice(0, start) + text + this.#text.slice(end)
    this.#cursor = this.#snap(start + text.length)
  }

  #move(to: number): void {
    this.#cursor = this.#snap(to)
    this.#goal = undefined
    this.#kind = 'other'
  }

  /** Moves a position to a grapheme boundary: an insertion may have joined two graphemes. */
  #snap(at: number): number {
    const [start, end] = this.#lineBounds(at)
    const inside = graphemes(this.#text.slice(start, end)).find(
      one => start + one.start < at && at < start + one.start + one.text.length,
    )
    return inside === undefined ? at : start + inside.start + inside.text.length
  }

  #lineBounds(at: number = this.#cursor): [start: number, end: number] {
    const start = at === 0 ? 0 : this.#text.lastIndexOf('\n', at - 1) + 1
    const end = this.#text.indexOf('\n', at)
    return [start, end === -1 ? this.#text.length : end]
  }

  #before(): number {
    const [start] = this.#lineBounds()
    if (this.#cursor === start) return Math.max(0, start - 1)
    return start + graphemes(this.#text.slice(start, this.#cursor)).at(-1)!.start
  }

  #after(): number {
    const [, end] = this.#lineBounds()
    if (this.#cursor === end) return Math.min(this.#text.length, end + 1)
    return this.#cursor + graphemes(this.#text.slice(this.#cursor, end))[0]!.text.length
  }

  #wordStart(): number {
    const match = /[\p{L}\p{N}\p{M}_]+[^\p{L}\p{N}\p{M}_]*$|[^\p{L}\p{N}\p{M}_]+$/u.exec(
      this.#text.slice(0, this.#cursor),
    )
    return match?.index ?? 0
  }

  #wordEnd(): number {
    const match = /^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u.exec(this.#text.slice(this.#cursor))
    return this.#cursor + (match?.[0].length ?? 0)
  }
}
