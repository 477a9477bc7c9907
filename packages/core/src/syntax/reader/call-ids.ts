import { UniqueIds } from '../../message/unique-ids.ts'
import type { ParserOptions } from '../syntax.ts'

/** Gives each call of a message its id: the one that the model wrote, or the next one. Ids are unique in the message. */
export class CallIds {
  readonly #options: ParserOptions
  /** What comes before the number of a call without an id. */
  readonly #prefix: string
  readonly #ids = new UniqueIds()
  #calls = 0

  constructor(options: ParserOptions, prefix?: string) {
    this.#options = options
    this.#prefix = prefix !== undefined && options.step === undefined ? prefix : `tool-${options.step ?? 0}`
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** The id of the next call, of the tool `name`. An id that a model writes twice becomes `ID-2`, then `ID-3`. */
  take(name: string, written?: string): string {
    this.#calls++
    const id = written === undefined ? this.#made(name) : this.#ids.free(written)
    this.#ids.add(id)
    return id
  }

  /** An id of our own. The one that `nextId` gives is the caller's and stays as it is. */
  #made(name: string): string {
    const { nextId } = this.#options
    return nextId === undefined ? this.#ids.numbered(this.#prefix, this.#calls) : nextId(name)
  }
}
