import { lastAtMost } from '../../source/sorted.ts'
import { KeptText } from '../reader/kept-text.ts'

/** The longest line that may be looked at again. */
const SHORT = 64

/** Lines of a block as YAML gets them, and where each of them is in the model's text. */
export class BodyLines {
  readonly #text = new KeptText()
  /** Where each line begins in `text`. */
  readonly #starts: number[] = []
  /** Where each line begins in the model's text, and how much further its characters are there than they are here. */
  readonly #offsets: number[] = []
  readonly #shifts: number[] = []

  /** How many lines are not blank, and the first of them if it is short. */
  #solid = 0
  #first = ''

  get isEmpty(): boolean {
    return this.#starts.length === 0
  }

  /** True for the line `input:` at this column, and no other but blank ones. */
  isInput(column: number): boolean {
    return this.#solid === 1 && this.#first.trim() === 'input:' && this.#first.startsWith('input:', column)
  }

  /** The lines as one text, each with its line break. Made again at each call. */
  get text(): string {
    return this.#text.toString()
  }

  /** A line that begins at `offset`; `shift` is what its blanks are longer there than here. */
  add(line: string, offset: number, shift: number): void {
    if (/[^ \t\r]/.test(line)) {
      if (this.#solid === 0 && line.length < SHORT) this.#first = line
      this.#solid++
    }
    this.#starts.push(this.#text.length)
    this.#offsets.push(offset)
    this.#shifts.push(shift)
    this.#text.append(`${line}\n`)
  }

  /** Where the character `index` of `text` is in the model's text. */
  offsetAt(index: number): number {
    const line = Math.max(0, lastAtMost(this.#starts, index))
    const start = this.#starts[line] ?? 0
    const column = Math.min(index, (this.#starts[line + 1] ?? this.#text.length) - 1) - start
    return (this.#offsets[line] ?? 0) + Math.max(0, column + (this.#shifts[line] ?? 0))
  }
}
