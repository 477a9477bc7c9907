import type { RunEntry, RunState } from '@argot/agent/internal'
import type { RunResource } from '../api/index.ts'

/** What a run can be for others, by what its log says. A run that is over stays what it is. */
const possible: Readonly<Record<RunState, ReadonlySet<string>>> = {
  running: new Set(['running', 'waiting', 'stopping']),
  waiting: new Set(['waiting', 'stopping', 'failed']),
  interrupted: new Set(['running', 'stopping', 'failed']),
  ended: new Set(['done', 'failed', 'stopped']),
}

/** Of so many runs that are over it is kept how they ended. */
const KEPT = 100_000

/** Says without reading a log whether a run can be in a state, so that a list reads only the logs of what it shows. */
export class StateIndex {
  readonly #ends: Map<string, RunResource['state']> = new Map()

  mayBe({ run, state }: RunEntry, wanted: string): boolean {
    const end = state === 'ended' ? this.#ends.get(run) : undefined
    return end === undefined ? possible[state].has(wanted) : end === wanted
  }

  /** Takes notice of what a run was found to be. */
  note({ run, state }: RunEntry | { run: string; state?: undefined }, resource: RunResource | undefined): void {
    // A log that cannot be read now may be read later.
    if (state !== 'ended' || resource === undefined || resource.code === 'SERVER_RUN_UNREADABLE') return
    this.#ends.set(run, resource.state)
    if (this.#ends.size > KEPT) this.#ends.delete(this.#ends.keys().next().value!)
  }
}
