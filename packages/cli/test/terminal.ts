import { Writable } from 'node:stream'
import { getCharacterWidth } from '../src/io/width.ts'

/**
 * A small terminal: text with wrapping, line feed, carriage return, cursor up, clearing, colours. Anything else that
 * reaches it as an escape is kept in `strange`, because the view has no business sending it.
 */
export class FakeTerminal extends Writable {
  readonly isTTY = true
  columns: number
  rows: number
  /** Everything that was written. */
  written = ''
  readonly strange: string[] = []
  /** All lines, those that scrolled off the top first. */
  #lines: string[][] = [[]]
  /** The style that each cell was written with. */
  #styles: string[][] = [[]]
  #row = 0
  #column = 0
  #style = new Set<string>()

  constructor(columns = 80, rows = 24) {
    super({ decodeStrings: false })
    this.columns = columns
    this.rows = rows
  }

  /** The screen as text, with what scrolled off above it. */
  get text(): string {
    return this.#lines
      .map(cells => cells.join('').trimEnd())
      .join('\n')
      .trimEnd()
  }

  /** The line that holds this text, and the style of its first character there. */
  styleOf(text: string): string {
    for (const [row, cells] of this.#lines.entries()) {
      const at = cells.join('').indexOf(text)
      if (at >= 0) return this.#styles[row]![at] ?? ''
    }
    return 'not there'
  }

  /** Makes the window narrower; lines that are too long are wrapped again, as most terminals do. */
  resize(columns: number): void {
    const lines: string[][] = []
    const styles: string[][] = []
    this.#lines.forEach((cells, row) => {
      if (row === this.#row) this.#row = lines.length
      for (let at = 0; at === 0 || at < cells.length; at += columns) {
        lines.push(cells.slice(at, at + columns))
        styles.push(this.#styles[row]!.slice(at, at + columns))
      }
    })
    this.#lines = lines
    this.#styles = styles
    this.columns = columns
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.feed(String(chunk))
    done()
  }

  feed(text: string): void {
    this.written += text
    for (const [piece, csi] of text.matchAll(/\x1b\[([\d;?]*[A-Za-z])|\x1b.?|[^\x1b]/gsu)) {
      if (csi !== undefined) this.#control(csi)
      else if (piece.startsWith('\x1b')) this.strange.push(piece)
      else this.#put(piece)
    }
  }

  #put(character: string): void {
    if (character === '\n') {
      this.#row++
      this.#column = 0
      this.#lines[this.#row] ??= []
      this.#styles[this.#row] ??= []
      return
    }
    if (character === '\r') {
      this.#column = 0
      return
    }
    if (character < ' ' || (character >= '\x7f' && character < '\xa0')) {
      this.strange.push(character)
      return
    }
    const width = getCharacterWidth(character)
    if (this.#column + width > this.columns) this.#put('\n')
    const cells = this.#lines[this.#row]!
    const styles = this.#styles[this.#row]!
    while (cells.length < this.#column) cells.push(' ')
    if (width === 0) {
      cells[this.#column - 1] += character
      return
    }
    cells[this.#column] = character
    styles[this.#column] = [...this.#style].join(' ')
    if (width === 2) cells[this.#column + 1] = ''
    this.#column += width
  }

  #control(code: string): void {
    const count = Number.parseInt(code, 10) || 1
    switch (code.at(-1)) {
      case 'A': {
        const top = Math.max(0, this.#lines.length - this.rows)
        if (this.#row - count < top) this.strange.push(`above the screen: ${code}`)
        this.#row = Math.max(top, this.#row - count)
        return
      }
      case 'J':
        this.#lines.length = this.#row + 1
        this.#styles.length = this.#row + 1
        this.#lines[this.#row]!.length = Math.min(this.#lines[this.#row]!.length, this.#column)
        return
      case 'K':
        this.#lines[this.#row]!.length = Math.min(this.#lines[this.#row]!.length, this.#column)
        return
      case 'm':
        this.#setStyle(code)
        return
      default:
        this.strange.push(`\x1b[${code}`)
    }
  }

  #setStyle(code: string): void {
    const names: Record<string, string> = {
      '1m': 'bold',
      '2m': 'dim',
      '3m': 'italic',
      '4m': 'underline',
      '31m': 'red',
      '32m': 'green',
      '33m': 'yellow',
      '36m': 'cyan',
    }
    const name = names[code]
    if (name !== undefined) this.#style.add(name)
    else if (code === '22m') for (const one of ['bold', 'dim']) this.#style.delete(one)
    else if (code === '23m') this.#style.delete('italic')
    else if (code === '24m') this.#style.delete('underline')
    else if (code === '39m') for (const one of ['red', 'green', 'yellow', 'cyan']) this.#style.delete(one)
    else this.strange.push(`\x1b[${code}`)
  }
}
