import type { Paint } from '../io/paint.ts'
import { getCharacterWidth, withoutStyles } from '../io/width.ts'
import { MarkdownText } from './markdown-text.ts'
import { PlainText } from './plain-text.ts'
import { SafeTextStream } from './safe-pieces.ts'
import type { LineStyle, Screen } from './screen.ts'

/** A text is repainted only while it is short, so that all of it is still on the screen. */
const LONGEST_COPY = 4000
/** A model that writes nothing but line breaks must not cost more with each one. */
const LONGEST_HELD = 256
/** Characters with the same width in every terminal. */
const certainWidth =
  /^[\n\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u0400-\u0481\u2010-\u2027\u2030-\u205e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/

export interface TextBlockOptions {
  /** Called before the first visible character. */
  begin: () => void
  style?: LineStyle | undefined
  /** With colours, Markdown is drawn. Without them it stays unchanged, because styles would be invisible. */
  paint?: Paint | undefined
}

/** A text on its way to the screen: safe, without empty lines around it, wrapped between words. */
export class TextBlock {
  readonly #screen: Screen
  readonly #style: LineStyle | undefined
  readonly #begin: () => void
  readonly #safe = new SafeTextStream()
  readonly #drawing: MarkdownText | PlainText
  readonly #columns: number
  #hasBegun = false
  /** Trailing spaces and line breaks so far. They are shown only if more text follows. */
  #held = ''
  /** Everything shown, while it can still be repainted. */
  #copy: string | undefined = ''

  constructor(screen: Screen, { begin, style, paint }: TextBlockOptions) {
    this.#screen = screen
    this.#begin = begin
    this.#style = style
    this.#columns = screen.columns
    const drawOptions = {
      columns: () => screen.columns,
      isMidRow: () => screen.isMidLine,
      write: (text: string) => this.#append(text),
    }
    // An outer style would end where an inner one does.
    const plain = (text: string): string => text
    this.#drawing =
      paint === undefined
        ? new PlainText({ ...drawOptions, paint: plain })
        : new MarkdownText({ ...drawOptions, paint: style === undefined ? paint : plain })
  }

  push(delta: string): void {
    this.#show(this.#safe.push(delta))
  }

  /** Nothing more comes for a while, so an incomplete word is shown, too. */
  settle(): void {
    this.#drawing.settle()
  }

  /** Other output interrupts the text, so it can't be repainted. */
  interrupt(): void {
    this.settle()
    this.#copy = undefined
  }

  /** Ends the text. Restyles it if all of it is still on the screen. */
  end(style?: LineStyle): void {
    this.#show(this.#safe.end())
    this.#drawing.end()
    if (style !== undefined && this.#hasBegun) this.#repaint(style)
    this.#screen.endLine()
  }

  #show(piece: string): void {
    if (piece === '') return
    let text = this.#held + piece
    if (!this.#hasBegun) text = withoutBlankLines(text)
    const end = !this.#hasBegun && text.trim() === '' ? 0 : findTextEnd(text)
    const tooMany = text.length - end > LONGEST_HELD
    this.#held = tooMany ? '' : text.slice(end)
    if (end > 0 || (tooMany && this.#hasBegun)) this.#print(tooMany ? text : text.slice(0, end))
  }

  #print(text: string): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      this.#begin()
    }
    this.#drawing.push(text)
  }

  #append(text: string): void {
    if (this.#copy !== undefined) {
      const plain = withoutStyles(text)
      const fits = this.#copy.length + plain.length <= LONGEST_COPY && !this.#screen.isLive && certainWidth.test(plain)
      this.#copy = fits ? this.#copy + plain : undefined
    }
    this.#screen.append(text, this.#style)
  }

  #repaint(style: LineStyle): void {
    const screen = this.#screen
    if (this.#copy === undefined || !screen.canMove || screen.isLive || screen.columns !== this.#columns) return
    const rows = countRows(this.#copy, this.#columns)
    if (rows < screen.rows) screen.replaceRows(rows, this.#copy.split('\n').map(style).join('\n'))
  }
}

function withoutBlankLines(text: string): string {
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\n') start = at + 1
    else if (text[at] !== ' ' && text[at] !== '\t') return text.slice(start)
  }
  return text.slice(start)
}

/** The end of the text before trailing spaces and line breaks. Spaces without a line break belong to the text. */
function findTextEnd(text: string): number {
  let end = text.length
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === '\n') end = at
    else if (text[at] !== ' ' && text[at] !== '\t') break
  }
  return end
}

function countRows(text: string, columns: number): number {
  let rows = 1
  let column = 0
  for (const character of text) {
    if (character === '\n') {
      rows++
      column = 0
      continue
    }
    const width = getCharacterWidth(character)
    if (column + width > columns) {
      rows++
      column = 0
    }
    column += width
  }
  return rows
}
