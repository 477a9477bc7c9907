import type { ParserOptions } from './syntax.ts'

/** The ids of one message's calls: what the model wrote, where it wrote one, else the next of our own. */
export class CallIds {
  readonly #nextId: (toolName: string) => string
  readonly #taken = new Set<string>()
  #count = 0

  constructor({ nextId, request = 0 }: ParserOptions) {
    this.#nextId = nextId ?? (() => this.#free(`tool-${request}-${this.#count}`))
  }

  has(id: string): boolean {
    return this.#taken.has(id)
  }

  next(toolName: string, written: string | undefined): string {
    this.#count++
    const id = written ?? this.#nextId(toolName)
    this.#taken.add(id)
    return id
  }

  /** `id` itself, or with a number behind it where a model has written it already. */
  #free(id: string): string {
    let free = id
    for (let n = 2; this.#taken.has(free); n++) free = `${id}#${n}`
    return free
  }
}
