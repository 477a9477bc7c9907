import type { Writable } from 'node:stream'
import { getColumns, getRows } from '../io/columns.ts'
import { measureWidth } from '../io/width.ts'

/** Where a screen is drawn; `process.stdout` is one. */
export type Terminal = Writable & { isTTY?: boolean; columns?: number; rows?: number }

/** Lines at the bottom that a person types into, and where the cursor is in them; it is hidden if there is none. */
export interface Footer {
  lines: readonly string[]
  cursor?: { row: number; column: number } | undefined
}

/** Puts a style on a line. */
export type Look = (line: string) => string

const plain: Look = line => line
const noFooter: Footer = { lines: [] }
/** What is between them is drawn as one picture; terminals that don't know that see no cursor jump. */
const BEGIN_PICTURE = '\x1b[?2026h\x1b[?25l'
const END_PICTURE = '\x1b[?2026l'
const SHOW_CURSOR = '\x1b[?25h'

/**
 * A terminal in two parts. Above, text that is only ever appended and scrolls away. Below it, a few live lines that
 * are redrawn in place; they never scroll, because there are always fewer than the screen has rows. A chat has a footer
 * below them, with the cursor in it.
 */
export class Screen {
  readonly #out: Terminal
  readonly #canMove: boolean
  /** The live lines as they should be, and as they are on the screen. */
  #wanted: readonly string[] = []
  #drawn: readonly string[] = []
  #footer: Footer = noFooter
  /** Where the cursor is among the lines that are drawn; undefined: below them. */
  #cursor: { line: number; column: number } | undefined
  /** The cursor is after text, not at the start of a line. */
  #midLine = false
  /** The last, unfinished line of text, and how it looks; also empty where it is longer than a row. */
  #tail = ''
  #look: Look = plain

  readonly #sinks: boolean

  /**
   * `canMove`: the terminal can move its cursor up; without it there are no live lines. `sinks`: the terminal is xterm.js,
   * where lines that wrap below the cursor push it down, too, when the window becomes narrower.
   */
  constructor(out: Terminal, canMove = true, sinks = false) {
    this.#out = out
    this.#canMove = canMove
    this.#sinks = sinks
  }

  get columns(): number {
    return Math.max(8, getColumns(this.#out))
  }

  get rows(): number {
    return Math.max(4, getRows(this.#out))
  }

  /** How many live lines there may be. */
  get room(): number {
    return this.#canMove ? Math.min(16, Math.max(1, this.rows - 2 - this.#footer.lines.length)) : 0
  }

  /** Whether live lines are shown now. */
  get isLive(): boolean {
    return this.#wanted.length > 0 || this.#footer.lines.length > 0
  }

  get canMove(): boolean {
    return this.#canMove
  }

  /** Appends text above the live lines; it may end in the middle of a line. `look` is put on each line of it. */
  append(text: string, look: Look = plain): void {
    if (text === '') return
    if (!this.isLive) {
      this.#keepRow(text, look)
      this.#midLine = !text.endsWith('\n')
      this.#write(eachLine(text, look))
      return
    }
    this.#look = look
    const whole = eachLine(this.#takeLines(text), look)
    if (whole === '') this.#draw('')
    else this.#redraw(whole)
  }

  /** Whether the last line of text is unfinished: what is appended next continues it. */
  get isMidLine(): boolean {
    return this.isLive ? this.#tail !== '' : this.#midLine
  }

  /** Ends the line of text that the cursor is in. */
  endLine(): void {
    if (this.isMidLine) this.append('\n', this.#look)
  }

  /** The same while there are no live lines yet, though they are wanted. */
  #endTextLine(): void {
    if (!this.#midLine) return
    this.#midLine = false
    this.#tail = ''
    this.#write('\n')
  }

  /** Replaces the last rows of text, up to where the cursor is. Only while no live line is shown. */
  replaceRows(rows: number, text: string): void {
    const up = rows > 1 ? `\x1b[${rows - 1}A` : ''
    this.#midLine = !text.endsWith('\n')
    this.#tail = ''
    this.#write(`\r${up}\x1b[J${text}`)
  }

  /** Shows these live lines in place of the ones before. Each must be narrower than the screen. */
  showLive(lines: readonly string[]): void {
    const wasLive = this.isLive
    this.#wanted = lines.slice(0, this.room)
    this.#update(wasLive)
  }

  /** Shows this footer in place of the one before. With the live lines it must be lower than the screen. */
  showFooter(footer: Footer): void {
    const wasLive = this.isLive
    this.#footer = footer
    this.#update(wasLive)
  }

  #update(wasLive: boolean): void {
    if (!this.isLive && !wasLive) return
    if (!wasLive) {
      // A row of text that can be drawn again stays unfinished above the live lines.
      if (this.#tail === '' || !this.#canMove) this.#endTextLine()
      this.#draw(this.#tail === '' ? '' : '\r\x1b[J')
    } else if (this.isLive) this.#draw('')
    else {
      const rest = this.#look(this.#tail)
      this.#midLine = rest !== ''
      this.#write(this.#erasure() + rest)
      this.#forgetDrawn()
    }
  }

  /** Draws everything again after the window has another size. */
  redraw(): void {
    if (this.isLive) this.#redraw('')
  }

  /** Empties the screen: what was on it scrolls away. */
  clear(): void {
    this.hide()
    this.#write(`${'\n'.repeat(this.rows)}\x1b[H`)
    if (this.isLive) this.#draw('')
  }

  /** Lets something else write at the place of the live lines, and draws them again below it. */
  aside(write: () => void): void {
    this.hide()
    write()
    if (this.isLive) this.#draw('')
  }

  /** Takes the live lines off the screen until they are shown again. An unfinished line of text is ended. */
  hide(): void {
    if (this.isLive) {
      const rest = this.#tail === '' ? '' : `${this.#look(this.#tail)}\n`
      this.#tail = ''
      this.#write(this.#erasure() + rest)
      this.#forgetDrawn()
    } else this.endLine()
  }

  /** Remembers the row that the cursor is in, so that it can be drawn again. */
  #keepRow(text: string, look: Look): void {
    const at = text.lastIndexOf('\n')
    const isLost = at < 0 && this.#midLine && this.#tail === ''
    const row = at < 0 ? this.#tail + text : text.slice(at + 1)
    this.#tail = !isLost && row.length < 16 * this.columns && measureWidth(row) < this.columns ? row : ''
    this.#look = look
  }

  /** Takes what is complete of the text; the unfinished line stays with the live lines, at most one row of it. */
  #takeLines(text: string): string {
    const all = this.#tail + text
    const at = all.lastIndexOf('\n') + 1
    let whole = all.slice(0, at)
    let tail = all.slice(at)
    while (measureWidth(tail) >= this.columns) {
      const end = this.#breakPoint(tail)
      whole += `${tail.slice(0, end).trimEnd()}\n`
      tail = tail.slice(end).trimStart()
    }
    this.#tail = tail
    return whole
  }

  /** Where to break a line that is wider than the screen: after the last blank that fits, else where it is full. */
  #breakPoint(line: string): number {
    let width = 0
    let end = 0
    let blank = 0
    for (const [piece] of line.matchAll(/\x1b\[[\d;]*m|./gsu)) {
      width += measureWidth(piece)
      if (width >= this.columns) break
      end += piece.length
      if (piece === ' ') blank = end
    }
    return blank > 0 ? blank : Math.max(end, 1)
  }

  #redraw(above: string): void {
    const erasure = this.#erasure()
    this.#forgetDrawn()
    this.#draw(erasure + above)
  }

  /** Writes the live lines over the ones that are there; what is the same stays as it is. */
  #draw(before: string): void {
    const lines = [...(this.#tail === '' ? [] : [this.#look(this.#tail)]), ...this.#wanted, ...this.#footer.lines]
    const cursor = this.#cursorIn(lines)
    if (before === '' && this.#isDrawn(lines, cursor)) return
    const rows = this.#rowsDrawn()
    let text = before
    if (rows !== this.#drawn.length) text += this.#erasure()
    else if (rows > 0) text += goUp(this.#rowsAboveCursor())
    const over = rows === this.#drawn.length ? this.#drawn : []
    lines.forEach((line, index) => {
      if (over[index] !== line) text += index < over.length ? `${line}\x1b[K` : line
      text += '\n'
    })
    if (over.length > lines.length) text += '\x1b[J'
    if (cursor !== undefined) {
      text += goUp(lines.length - cursor.line)
      if (cursor.column > 0) text += `\x1b[${cursor.column}C`
    }
    this.#drawn = lines
    this.#cursor = cursor
    this.#midLine = false
    this.#write(text)
  }

  #cursorIn(lines: readonly string[]): { line: number; column: number } | undefined {
    const { lines: own, cursor } = this.#footer
    return cursor && { line: lines.length - own.length + cursor.row, column: cursor.column }
  }

  #isDrawn(lines: readonly string[], cursor: { line: number; column: number } | undefined): boolean {
    return (
      this.#footer !== noFooter &&
      lines.length === this.#drawn.length &&
      lines.every((line, index) => line === this.#drawn[index]) &&
      cursor?.line === this.#cursor?.line &&
      cursor?.column === this.#cursor?.column &&
      this.#rowsDrawn() === lines.length
    )
  }

  #forgetDrawn(): void {
    this.#drawn = []
    this.#cursor = undefined
  }

  /** Moves to the first live line and clears everything from there. */
  #erasure(): string {
    return this.#rowsDrawn() === 0 ? '' : `${goUp(this.#rowsAboveCursor())}\x1b[J`
  }

  #rowsAboveCursor(): number {
    if (this.#cursor === undefined) return this.#rowsDrawn()
    const { line, column } = this.#cursor
    if (!this.#sinks) return this.#rowsDrawn(line) + Math.floor(column / this.columns)
    // It wraps from the bottom up, and leaves alone the line that the cursor is in by then.
    let row = line
    for (let at = this.#drawn.length - 1; at >= 0; at--)
      if (row !== at) row += Math.max(1, Math.ceil(measureWidth(this.#drawn[at]!) / this.columns)) - 1
    return row
  }

  /** The rows that the live lines take now: more than lines when the window has become narrower. */
  #rowsDrawn(end = this.#drawn.length): number {
    const { columns } = this
    return this.#drawn
      .slice(0, end)
      .reduce((rows, line) => rows + Math.max(1, Math.ceil(measureWidth(line) / columns)), 0)
  }

  #write(text: string): void {
    if (text === '') return
    if (this.#footer === noFooter) this.#out.write(text)
    else this.#out.write(BEGIN_PICTURE + text + (this.#isCursorHidden ? '' : SHOW_CURSOR) + END_PICTURE)
  }

  /** A footer without a cursor has nothing to type into. */
  get #isCursorHidden(): boolean {
    return this.#footer.cursor === undefined && this.#drawn.length > 0
  }
}

/** To the start of the row so many rows above. */
function goUp(rows: number): string {
  return rows > 0 ? `\r\x1b[${rows}A` : '\r'
}

function eachLine(text: string, look: Look): string {
  return look === plain ? text : text.split('\n').map(look).join('\n')
}
