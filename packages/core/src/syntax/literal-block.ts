import { KeptText } from './kept-text.ts'
import type { OpenCall } from './open-call.ts'

/**
 * A YAML literal block (`key: |` or `key: |-`) as the value of the open parameter. Each line goes out as soon as it is
 * certain to be part of the value: blank lines wait, for those at the end are not.
 *
 *     content: |
 *       fn main() {}
 *
 *       // the end
 */
export class LiteralBlock {
  readonly #call: OpenCall
  /** The column of the key: the lines of the block are indented further. */
  readonly #parent: number
  /** The last line break is not part of the value (`|-`). */
  readonly #strip: boolean
  /** The column at which the lines begin; -1 before the first that is not blank. */
  #column = -1
  /** Blank lines that have come since the last other one. */
  #blanks: string[] = []
  #empty = true
  readonly #text = new KeptText()

  constructor(call: OpenCall, parent: number, strip: boolean) {
    this.#call = call
    this.#parent = parent
    this.#strip = strip
  }

  /**
   * The next line, whose first character that is no blank is at `column`, -1 for none. `outside`: the block has ended
   * before it. `unclear`: it is indented less than the block and more than its key, or blank lines before it further.
   */
  line(line: string, column: number): 'inside' | 'outside' | 'unclear' {
    if (column < 0) {
      if (this.#column >= 0 && line.length > this.#column) this.#write(line)
      else this.#blanks.push(line)
      return 'inside'
    }
    if (column <= this.#parent) return 'outside'
    if (this.#column < 0) {
      if (this.#blanks.some(blank => blank.length > column)) return 'unclear'
      this.#column = column
    }
    if (column < this.#column) return 'unclear'
    this.#write(line)
    return 'inside'
  }

  #write(line: string): void {
    const start = this.#column
    let before = this.#empty ? '' : '\n'
    if (this.#blanks.length > 0) {
      for (const blank of this.#blanks) before += `${blank.slice(start)}\n`
      this.#blanks = []
    }
    this.#empty = false
    if (before !== '') {
      this.#call.write(before)
      this.#text.append(before)
    }
    this.#call.write(line, start)
    this.#text.append(line.slice(start))
  }

  /** The block has ended. */
  end(): void {
    if (!this.#empty && !this.#strip) {
      this.#call.write('\n')
      this.#text.append('\n')
    }
    this.#call.end(this.#text.toString())
  }
}
