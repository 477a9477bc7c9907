import type { ParserOptions } from '../syntax.ts'

/** Gives each call of a message its id: the one that the model wrote, or the next one. Ids are unique in the message. */
export class CallIds {
  readonly #options: ParserOptions
  /** What comes before the number of a call without an id. */
  readonly #prefix: string
  readonly #taken = new Set<string>()
  /** For each id that was written again, the number that its next namesake tries first. */
  readonly #next = new Map<string, number>()
  #calls = 0

  constructor(options: ParserOptions, prefix?: string) {
    this.#options = options
    this.#prefix = prefix !== undefined && options.step === undefined ? prefix : `tool-${options.step ?? 0}`
  }

  has(id: string): boolean {
    return this.#taken.has(id)
  }

  /** The id of the next call, of the tool `name`. An id that a model writes twice becomes `ID-2`, then `ID-3`. */
  take(name: string, written?: string): string {
    this.#calls++
    const id = written === undefined ? this.#made(name) : this.#written(written)
    this.#taken.add(id)
    return id
  }

  /** An id of our own. The one that `nextId` gives is the caller's and stays as it is. */
  #made(name: string): string {
    const { nextId } = this.#options
    return nextId === undefined ? this.#numbered(this.#prefix, this.#calls) : nextId(name)
  }

  #written(id: string): string {
    return this.#taken.has(id) ? this.#numbered(id, 2) : id
  }

  #numbered(stem: string, first: number): string {
    let number = Math.max(first, this.#next.get(stem) ?? 0)
    while (this.#taken.has(`${stem}-${number}`)) number++
    this.#next.set(stem, number + 1)
    return `${stem}-${number}`
  }
}
