import type { Limits } from './limits.ts'
import { tooMany } from './problem.ts'

/** Limits the open streams: in total, per client, and per run. */
export class OpenStreams {
  readonly #limits: Limits
  readonly #byClient: Map<string, number> = new Map()
  readonly #byRun: Map<string, number> = new Map()
  #count = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#count
  }

  /**
   * Takes a place for a reader of these runs. Call the result when the stream has ended. Throws if there is no place.
   */
  open(client: string, runs: readonly string[] = []): () => void {
    const { streams, streamsPerClient, readersPerRun } = this.#limits
    const isFull = runs.some(run => (this.#byRun.get(run) ?? 0) >= readersPerRun)
    if (isFull) throw tooMany('readers of one run', readersPerRun)
    if ((this.#byClient.get(client) ?? 0) >= streamsPerClient) {
      throw tooMany('open streams of one client', streamsPerClient)
    }
    if (this.#count >= streams) throw tooMany('open streams', streams)
    this.#add(1, client, runs)
    let isOpen = true
    return () => {
      if (isOpen) this.#add(-1, client, runs)
      isOpen = false
    }
  }

  #add(change: 1 | -1, client: string, runs: readonly string[]): void {
    this.#count += change
    add(this.#byClient, client, change)
    for (const run of runs) add(this.#byRun, run, change)
  }
}

function add(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + change
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}
