import { UniqueIds } from '../../message/unique-ids.ts'
import type { ParserOptions } from '../syntax.ts'

/** Gives each call of a message its id: the one the model wrote, or the next one. Ids are unique in the message. */
export class CallIds {
  readonly #options: ParserOptions
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

  /** The id of the next call, of the tool `name`. An id that a model repeats becomes `ID-2`, then `ID-3`. */
  take(name: string, modelId?: string): string {
    this.#calls++
    const id = modelId === undefined ? this.#createId(name) : this.#ids.free(modelId)
    this.#ids.add(id)
    return id
  }

  /** A generated id. If `nextId` supplies it, it is the caller's and stays unchanged. */
  #createId(name: string): string {
    const { nextId } = this.#options
    return nextId === undefined ? this.#ids.numbered(this.#prefix, this.#calls) : nextId(name)
  }
}
