import type { Writable } from 'node:stream'
import { getColumns, getRows } from '../io/columns.ts'
import { measureWidth } from '../io/width.ts'

/** Where a screen is drawn; `process.stdout` is one. */
export type Terminal = Writable & { isTTY?: boolean; columns?: number; rows?: number }

/** Lines at the bottom for typing, with the cursor position. Without one the cursor is hidden. */
export interface Footer {
  lines: readonly string[]
  cursor?: { row: number; column: number } | undefined
}

export type LineStyle = (line: string) => string

const plain: LineStyle = line => line
const noFooter: Footer = { lines: [] }
/** Output between these is drawn as one frame. Terminals without that feature still show no cursor jump. */
const BEGIN_FRAME = '\x1b[?2026h\x1b[?25l'
const END_FRAME = '\x1b[?2026l'
const SHOW_CURSOR = '\x1b[?25h'

/**
 * A terminal in two parts. Above is text that is only appended and scrolls away. Below are a few live lines that are
 * redrawn in place. They never scroll, because there are always fewer than the screen has rows. A chat has a footer
 * below them, with the cursor in it.
 */
export class Screen {
  readonly #out: Terminal
  readonly #canMove: boolean
  #liveLines: readonly string[] = []
  /** The redrawable lines on the screen: the unfinished line of text, the live lines and the footer. */
  #drawn: readonly string[] = []
  #footer: Footer = noFooter
  /** The cursor's position in the drawn lines. Undefined: below them. */
  #cursor: { line: number; column: number } | undefined
  #midLine = false
  /** The last, unfinished line of text and its style. Also empty if it is longer than a row. */
  #tail = ''
  #style: LineStyle = plain

  readonly #sinks: boolean

  /**
   * `canMove`: the terminal can move its cursor up. Without it there are no live lines. `sinks`: the terminal is
   * xterm.js, where lines that wrap below the cursor also push it down when the window becomes narrower.
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

  get room(): number {
    return this.#canMove ? Math.min(16, Math.max(1, this.rows - 2 - this.#footer.lines.length)) : 0
  }

  get isLive(): boolean {
    return this.#liveLines.length > 0 || this.#footer.lines.length > 0
  }

  get canMove(): boolean {
    return this.#canMove
  }

  /** Appends text above the live lines. It may end within a line. `style` applies to each line. */
  append(text: string, style: LineStyle = plain): void {
    if (text === '') return
    if (!this.isLive) {
      this.#keepRow(text, style)
      this.#midLine = !text.endsWith('\n')
      this.#write(eachLine(text, style))
      return
    }
    this.#style = style
    const whole = eachLine(this.#takeLines(text), style)
    if (whole === '') this.#draw('')
    else this.#redraw(whole)
  }

  /** The last line is unfinished, so the next text continues it. */
  get isMidLine(): boolean {
    return this.isLive ? this.#tail !== '' : this.#midLine
  }

  endLine(): void {
    if (this.isMidLine) this.append('\n', this.#style)
  }

  /** The same before the first live lines are drawn. */
  #endTextLine(): void {
    if (!this.#midLine) return
    this.#midLine = false
    this.#tail = ''
    this.#write('\n')
  }

  /** Replaces the last rows of text, up to the cursor. Only while no live line is shown. */
  replaceRows(rows: number, text: string): void {
    const up = rows > 1 ? `\x1b[${rows - 1}A` : ''
    this.#midLine = !text.endsWith('\n')
    this.#tail = ''
    this.#write(`\r${up}\x1b[J${text}`)
  }

  /** Replaces the live lines. Each must be narrower than the screen. */
  showLive(lines: readonly string[]): void {
    const wasLive = this.isLive
    this.#liveLines = lines.slice(0, this.room)
    this.#update(wasLive)
  }

  /** Replaces the footer. Together with the live lines, it must be lower than the screen. */
  showFooter(footer: Footer): void {
    const wasLive = this.isLive
    this.#footer = footer
    this.#update(wasLive)
  }

  #update(wasLive: boolean): void {
    if (!this.isLive && !wasLive) return
    if (!wasLive) {
      // A row of text that can be redrawn stays unfinished above the live lines.
      if (this.#tail === '' || !this.#canMove) this.#endTextLine()
      this.#draw(this.#tail === '' ? '' : '\r\x1b[J')
    } else if (this.isLive) this.#draw('')
    else {
      const rest = this.#style(this.#tail)
      this.#midLine = rest !== ''
      this.#write(this.#erasure() + rest)
      this.#forgetDrawn()
    }
  }

  redraw(): void {
    if (this.isLive) this.#redraw('')
  }

  /** Clears the screen. Its content scrolls away. */
  clear(): void {
    this.hide()
    this.#write(`${'\n'.repeat(this.rows)}\x1b[H`)
    if (this.isLive) this.#draw('')
  }

  /** Lets other code write in place of the live lines, and redraws them below. */
  aside(write: () => void): void {
    this.hide()
    write()
    if (this.isLive) this.#draw('')
  }

  /** Removes the live lines until they are shown again. Ends an unfinished line of text. */
  hide(): void {
    if (this.isLive) {
      const rest = this.#tail === '' ? '' : `${this.#style(this.#tail)}\n`
      this.#tail = ''
      this.#write(this.#erasure() + rest)
      this.#forgetDrawn()
    } else this.endLine()
  }

  /** Remembers the cursor's row, so that it can be redrawn. */
  #keepRow(text: string, style: LineStyle): void {
    const at = text.lastIndexOf('\n')
    const isLost = at < 0 && this.#midLine && this.#tail === ''
    const row = at < 0 ? this.#tail + text : text.slice(at + 1)
    this.#tail = !isLost && row.length < 16 * this.columns && measureWidth(row) < this.columns ? row : ''
    this.#style = style
  }

  /** Takes the complete lines of the text. The unfinished line stays with the live lines, at most one row of it. */
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

  /** Where to break a line that is wider than the screen: after the last space that fits, otherwise at the edge. */
  #breakPoint(line: string): number {
    let width = 0
    let end = 0
    let spaceEnd = 0
    for (const [piece] of line.matchAll(/\x1b\[[\d;]*m|./gsu)) {
      width += measureWidth(piece)
      if (width >= this.columns) break
      end += piece.length
      if (piece === ' ') spaceEnd = end
    }
    return spaceEnd > 0 ? spaceEnd : Math.max(end, 1)
  }

  #redraw(above: string): void {
    const erasure = this.#erasure()
    this.#forgetDrawn()
    this.#draw(erasure + above)
  }

  /** Writes the live lines over the drawn ones. Skips unchanged lines. */
  #draw(before: string): void {
    const lines = [...(this.#tail === '' ? [] : [this.#style(this.#tail)]), ...this.#liveLines, ...this.#footer.lines]
    const cursor = this.#cursorIn(lines)
    if (before === '' && this.#isDrawn(lines, cursor)) return
    const rows = this.#rowsDrawn()
    let text = before
    if (rows !== this.#drawn.length) text += this.#erasure()
    else if (rows > 0) text += goUp(this.#rowsAboveCursor())
    const oldLines = rows === this.#drawn.length ? this.#drawn : []
    lines.forEach((line, index) => {
      if (oldLines[index] !== line) text += index < oldLines.length ? `${line}\x1b[K` : line
      text += '\n'
    })
    if (oldLines.length > lines.length) text += '\x1b[J'
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

  #erasure(): string {
    return this.#rowsDrawn() === 0 ? '' : `${goUp(this.#rowsAboveCursor())}\x1b[J`
  }

  #rowsAboveCursor(): number {
    if (this.#cursor === undefined) return this.#rowsDrawn()
    const { line, column } = this.#cursor
    if (!this.#sinks) return this.#rowsDrawn(line) + Math.floor(column / this.columns)
    // It wraps from the bottom up, and skips the line where the cursor is by then.
    let row = line
    for (let at = this.#drawn.length - 1; at >= 0; at--)
      if (row !== at) row += Math.max(1, Math.ceil(measureWidth(this.#drawn[at]!) / this.columns)) - 1
    return row
  }

  /** The rows that the drawn lines take now. More than one per line if the window has become narrower. */
  #rowsDrawn(end = this.#drawn.length): number {
    const { columns } = this
    return this.#drawn
      .slice(0, end)
      .reduce((rows, line) => rows + Math.max(1, Math.ceil(measureWidth(line) / columns)), 0)
  }

  #write(text: string): void {
    if (text === '') return
    if (this.#footer === noFooter) this.#out.write(text)
    else this.#out.write(BEGIN_FRAME + text + (this.#isCursorHidden ? '' : SHOW_CURSOR) + END_FRAME)
  }

  get #isCursorHidden(): boolean {
    return this.#footer.cursor === undefined && this.#drawn.length > 0
  }
}

function goUp(rows: number): string {
  return rows > 0 ? `\r\x1b[${rows}A` : '\r'
}

function eachLine(text: string, style: LineStyle): string {
  return style === plain ? text : text.split('\n').map(style).join('\n')
}
