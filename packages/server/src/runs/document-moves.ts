/** The renames and removals of documents in this process. While one is under way, its runs' logs are at neither path. */
export class DocumentMoves {
  readonly #current: Set<Promise<unknown>> = new Set()
  /** Changes whenever a move begins or ends. */
  #count = 0

  async do<Value>(work: () => Promise<Value>): Promise<Value> {
    const move = work()
    this.#current.add(move)
    this.#count++
    try {
      return await move
    } finally {
      this.#current.delete(move)
      this.#count++
    }
  }

  /** Calls `find` until it finds something or no move was under way meanwhile. */
  async find<Value>(find: () => Promise<Value>, isThere: (value: Value) => boolean): Promise<Value> {
    for (;;) {
      const count = this.#count
      const isStill = this.#current.size === 0
      const value = await find()
      if (isThere(value) || (isStill && count === this.#count)) return value
      await Promise.allSettled(this.#current)
    }
  }
}
