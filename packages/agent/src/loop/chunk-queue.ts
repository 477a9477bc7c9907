import type { Chunk } from '@argot/core'

/** From a run to its only reader. The run never waits. Once the reader leaves, chunks are dropped. */
export class ChunkQueue implements AsyncIterableIterator<Chunk> {
  #chunks: Chunk[] = []
  /** Index of the next chunk in the list. A list that was read to its end is replaced. */
  #next = 0
  #closed = false
  #waiting: ((result: IteratorResult<Chunk>) => void) | undefined
  readonly #leave: () => void

  /** `leave` is called if the reader stops before the end. */
  constructor(leave: () => void) {
    this.#leave = leave
  }

  push(chunk: Chunk): void {
    if (this.#closed) return
    const waiting = this.#waiting
    if (waiting === undefined) {
      this.#chunks.push(chunk)
      return
    }
    this.#waiting = undefined
    waiting({ done: false, value: chunk })
  }

  close(): void {
    this.#closed = true
    this.#waiting?.({ done: true, value: undefined })
    this.#waiting = undefined
  }

  next(): Promise<IteratorResult<Chunk>> {
    const value = this.#chunks[this.#next]
    if (value !== undefined) {
      this.#next++
      if (this.#next === this.#chunks.length) {
        this.#chunks = []
        this.#next = 0
      }
      return Promise.resolve({ done: false, value })
    }
    if (this.#closed) return Promise.resolve({ done: true, value: undefined })
    return new Promise(resolve => {
      this.#waiting = resolve
    })
  }

  return(): Promise<IteratorResult<Chunk>> {
    const early = !this.#closed
    this.close()
    this.#chunks = []
    this.#next = 0
    if (early) this.#leave()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
