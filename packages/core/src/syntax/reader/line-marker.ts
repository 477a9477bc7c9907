import { CR, isBlank, isDigit, LF } from './char-codes.ts'

const CLOSE_PAREN = 41
const DOT = 46
const OPEN_BRACKET = 91
const CARET = 94
const MAX_LIST_DIGITS = 9

const FIRST = 0
const DIGITS = 1
const END = 2
const BRACKET = 3

/**
 * The marker of a list item or a footnote, at the start of a line.
 *
 *     - item      12. item      [^1]: note
 */
export class LineMarker {
  /** `part` until the kind is known, `none` for ordinary text. */
  kind: 'part' | 'none' | 'item' | 'footnote' = 'part'
  length = 0
  #state = FIRST

  begin(): void {
    this.kind = 'part'
    this.length = 0
    this.#state = FIRST
  }

  /** Continues in `text`. Once `kind` is known, the returned index is the one after the marker. */
  read(text: string, at: number): number {
    let i = at
    while (i < text.length && this.kind === 'part') {
      if (this.#step(text.charCodeAt(i))) {
        this.length++
        i++
      }
    }
    return i
  }

  #step(code: number): boolean {
    switch (this.#state) {
      case FIRST:
        this.#state = code === OPEN_BRACKET ? BRACKET : isDigit(code) ? DIGITS : END
        return true
      case DIGITS:
        if (isDigit(code) && this.length < MAX_LIST_DIGITS) return true
        if (code === DOT || code === CLOSE_PAREN) this.#state = END
        else this.kind = 'none'
        return this.#state === END
      case BRACKET:
        this.kind = code === CARET ? 'footnote' : 'none'
        return false
      default:
        this.kind = isBlank(code) || code === LF || code === CR ? 'item' : 'none'
        return false
    }
  }
}
