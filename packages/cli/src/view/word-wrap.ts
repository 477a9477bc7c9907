import type { Paint, Style } from '../io/paint.ts'
import { getCharacterWidth, measureWidth } from '../io/width.ts'

export interface WordWrapOptions {
  /** The screen width. Every written row is narrower. */
  columns: () => number
  paint: Paint
  write: (text: string) => void
  /** The cursor is still in the started row. Other output may have come in between. */
  isMidRow: () => boolean
}

interface StyledText {
  text: string
  styles: readonly Style[]
}

/**
 * Wraps lines between words as they arrive. A word is written once its end is known or it fills a row. Written text is
 * never changed.
 */
export class WordWrap {
  readonly #options: WordWrapOptions
  #column = 0
  #indent: StyledText = { text: '', styles: [] }
  #spaces = ''
  #word: StyledText[] = []
  #wordWidth = 0
  #lastStyles = ''

  constructor(options: WordWrapOptions) {
    this.#options = options
  }

  hang(text: string, ...styles: Style[]): void {
    this.#indent = { text, styles }
  }

  put(text: string, styles: readonly Style[] = []): void {
    for (const [piece] of text.matchAll(/[ \t]+|[^ \t]+/g)) {
      if (piece[0] !== ' ' && piece[0] !== '\t') this.#addToWord(piece, styles)
      else {
        this.#flush()
        this.#spaces += piece.replaceAll('\t', '    ')
      }
    }
  }

  /** Writes a text in one piece, including spaces. The terminal breaks rows that are too wide. */
  putWhole(text: string, styles: readonly Style[] = []): void {
    this.#flush()
    this.#write({ text: this.#spaces + text, styles })
    this.#spaces = ''
  }

  endLine(): void {
    this.#flush()
    this.#spaces = ''
    this.#options.write('\n')
    this.#column = 0
    this.hang('')
  }

  /** Nothing more comes for a while, so an incomplete word is written, too. */
  settle(): void {
    this.#flush()
  }

  end(): void {
    this.#flush()
    this.#options.write(this.#spaces)
    this.#spaces = ''
  }

  #addToWord(text: string, styles: readonly Style[]): void {
    let start = 0
    let at = 0
    for (const character of text) {
      const width = getCharacterWidth(character)
      if (this.#wordWidth + width > this.#room - measureWidth(this.#hanging.text)) {
        this.#word.push({ text: text.slice(start, at), styles })
        this.#flush()
        start = at
      }
      this.#wordWidth += width
      at += character.length
    }
    this.#word.push({ text: text.slice(start), styles })
  }

  /** However deep the indent, half of the row is for words. */
  get #hanging(): StyledText {
    const { text, styles } = this.#indent
    return { text: text.slice(0, this.#room >> 1), styles }
  }

  get #room(): number {
    return Math.max(1, this.#options.columns() - 1)
  }

  #flush(): void {
    if (this.#word.length === 0) return
    if (!this.#options.isMidRow()) this.#column = 0
    const word = this.#word
    const width = this.#wordWidth
    this.#word = []
    this.#wordWidth = 0
    if (this.#column > 0 && this.#column + measureWidth(this.#spaces) + width > this.#room) {
      this.#options.write('\n')
      this.#column = 0
      this.#write(this.#hanging)
      this.#spaces = ''
    }
    if (this.#column === 0 && measureWidth(this.#spaces) + width > this.#room) {
      this.#spaces = this.#spaces.slice(0, Math.max(0, this.#room - width))
    }
    // Spaces between two words of one style have that style, too.
    const first = word[0]!
    const styles = this.#lastStyles === styleKey(first.styles) ? first.styles : []
    if (this.#spaces !== '') this.#write({ text: this.#spaces, styles })
    this.#spaces = ''
    for (const piece of word) this.#write(piece)
    this.#lastStyles = styleKey(word.at(-1)!.styles)
  }

  #write({ text, styles }: StyledText): void {
    if (text === '') return
    this.#column += measureWidth(text)
    this.#options.write(this.#options.paint(text, ...styles))
  }
}

function styleKey(styles: readonly Style[]): string {
  return styles.join()
}
