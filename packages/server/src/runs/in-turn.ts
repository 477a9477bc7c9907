/** Runs work with the same name one after another, in the order of arrival. Work with other names runs in parallel. */
export class InTurn {
  readonly #last: Map<string, Promise<unknown>> = new Map()

  async do<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const current = before.then(work, work)
    this.#last.set(name, current)
    try {
      return await current
    } finally {
      if (this.#last.get(name) === current) this.#last.delete(name)
    }
  }
}
