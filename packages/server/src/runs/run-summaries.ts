import type { RunLogs } from '@argot/agent/workshop'
import { type RunSummary, SummaryFold } from './run-summary.ts'

/** Of how many runs it is kept what their logs say. */
const KEPT = 500

/** What logs say of their runs. A log that is asked about again is read from where it was left, however long it is. */
export class RunSummaries {
  readonly #logs: RunLogs
  readonly #folds: Map<string, SummaryFold> = new Map()

  constructor(logs: RunLogs) {
    this.#logs = logs
  }

  /** Undefined for a run that has no log, or an empty one. */
  async of(run: string): Promise<RunSummary | undefined> {
    const fold = this.#folds.get(run) ?? new SummaryFold()
    for (let piece = 0; ; piece++) {
      const lines = await this.#logs.tail(run, fold.next)
      if (lines.length === 0) break
      for (const line of lines) fold.push(line)
      // A long log is read in many pieces: others have their turn between them.
      if (piece > 0) await new Promise(resolve => setImmediate(resolve))
    }
    if (fold.next === 0) return undefined
    this.#folds.delete(run)
    this.#folds.set(run, fold)
    if (this.#folds.size > KEPT) this.#folds.delete(this.#folds.keys().next().value!)
    return fold.result()
  }
}
