import { lastAtMost } from '../../source/last-at-most.ts'
import { KeptText } from '../reader/kept-text.ts'

/** Longer lines aren't scanned again. */
const SHORT = 64

/** Lines of a block as passed to the YAML library, with their positions in the model's text. */
export class BodyLines {
  readonly #text = new KeptText()
  readonly #starts: number[] = []
  /** The start of each line in the model's text, and how much further right its characters are there. */
  readonly #offsets: number[] = []
  readonly #shifts: number[] = []

  /** The number of lines that aren't blank, and the first of them if it is short. */
  #solid = 0
  #first = ''

  get isEmpty(): boolean {
    return this.#starts.length === 0
  }

  /** True if the only line, apart from blank ones, is `input:` at this column. */
  isInput(column: number): boolean {
    return this.#solid === 1 && this.#first.trim() === 'input:' && this.#first.startsWith('input:', column)
  }

  /** The lines as one text, each with its line break. Rebuilt on every call. */
  get text(): string {
    return this.#text.toString()
  }

  /** Adds a line that begins at `offset`. `shift` is how much longer its leading whitespace is there than here. */
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

  /** Maps an index in `text` to an offset in the model's text. */
  offsetAt(index: number): number {
    const line = Math.max(0, lastAtMost(this.#starts, index))
    const start = this.#starts[line] ?? 0
    const column = Math.min(index, (this.#starts[line + 1] ?? this.#text.length) - 1) - start
    return (this.#offsets[line] ?? 0) + Math.max(0, column + (this.#shifts[line] ?? 0))
  }
}
