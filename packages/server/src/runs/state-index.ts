import type { RunEntry, RunState } from '@argot/agent/internal'
import type { RunResource } from '../api/index.ts'

/** The states that clients may see, by the log's state. A run that is over stays so. */
const possibleStates: Readonly<Record<RunState, ReadonlySet<string>>> = {
  running: new Set(['running', 'waiting', 'stopping']),
  waiting: new Set(['waiting', 'stopping', 'failed']),
  interrupted: new Set(['running', 'stopping', 'failed']),
  ended: new Set(['done', 'failed', 'stopped']),
}

const KEPT_STATES = 100_000

/** Tells without reading a log whether a run can be in a state, so that a list only reads the logs it shows. */
export class StateIndex {
  readonly #ends: Map<string, RunResource['state']> = new Map()

  mayBe({ run, state }: RunEntry, expected: string): boolean {
    const end = state === 'ended' ? this.#ends.get(run) : undefined
    return end === undefined ? possibleStates[state].has(expected) : end === expected
  }

  note({ run, state }: RunEntry | { run: string; state?: undefined }, resource: RunResource | undefined): void {
    // A log that can't be read now may be readable later.
    if (state !== 'ended' || resource === undefined || resource.code === 'SERVER_RUN_UNREADABLE') return
    this.#ends.set(run, resource.state)
    if (this.#ends.size > KEPT_STATES) this.#ends.delete(this.#ends.keys().next().value!)
  }
}
