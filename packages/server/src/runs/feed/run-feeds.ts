import type { RunLogs } from '@argot/agent/internal'
import type { Limits } from '../../guard/limits.ts'
import { RunFeed } from './run-feed.ts'

/** The feeds of the runs that somebody reads now. */
export class RunFeeds {
  readonly #logs: RunLogs
  readonly #limits: Limits
  readonly #feeds: Map<string, RunFeed> = new Map()

  constructor(logs: RunLogs, limits: Limits) {
    this.#logs = logs
    this.#limits = limits
  }

  has(run: string): boolean {
    return this.#feeds.has(run)
  }

  /** The feed of a run that has a log. It is let go when its last reader has left. */
  of(run: string): RunFeed {
    const known = this.#feeds.get(run)
    if (known !== undefined) return known
    const feed = new RunFeed(this.#logs, run, this.#limits.resultBytes, () => {
      feed.close()
      if (this.#feeds.get(run) === feed) this.#feeds.delete(run)
    })
    this.#feeds.set(run, feed)
    return feed
  }

  /** The readers of these runs come to their end, or all readers. */
  close(runs: Iterable<string> = this.#feeds.keys()): void {
    for (const run of runs) {
      this.#feeds.get(run)?.close()
      this.#feeds.delete(run)
    }
  }
}
