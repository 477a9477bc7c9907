import type { Limits } from './limits.ts'
import { tooMany } from './problem.ts'

/** Counts the streams that are open, in all and by client. */
export class OpenStreams {
  readonly #limits: Limits
  readonly #byClient: Map<string, number> = new Map()
  #count = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#count
  }

  /** Takes a place, and gives what is called when the stream has ended. Throws where there is none. */
  open(client: string): () => void {
    const { streams, streamsPerClient } = this.#limits
    const own = this.#byClient.get(client) ?? 0
    if (own >= streamsPerClient) throw tooMany('open streams of one client', streamsPerClient)
    if (this.#count >= streams) throw tooMany('open streams', streams)
    this.#count++
    this.#byClient.set(client, own + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#count--
      const left = (this.#byClient.get(client) ?? 1) - 1
      if (left === 0) this.#byClient.delete(client)
      else this.#byClient.set(client, left)
    }
  }
}
