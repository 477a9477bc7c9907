import type { RunState, TailLine } from '@argot/agent/internal'
import type { Chunk } from '@argot/core'
import type { DatabaseNode } from '../database/node.ts'

const MOST_LINES = 1000

export interface RunSnapshot {
  path: string
  state: RunState
  lines: TailLine[]
  mayHaveMore: boolean
}

interface SnapshotRequest {
  run: string
  from: number
  resolve(snapshot: RunSnapshot | undefined): void
  reject(error: unknown): void
}

/**
 * Reads lines and states of runs. All requests in one turn of the event loop share one statement, so following a
 * hundred runs needs no more queries than following one.
 */
export class LogReader {
  readonly #read: DatabaseNode['read']
  readonly #s: string
  #requests: SnapshotRequest[] = []

  constructor(node: DatabaseNode, read: DatabaseNode['read']) {
    this.#s = node.database.s
    this.#read = read
  }

  /** Undefined for a run without a log. */
  read(run: string, from: number): Promise<RunSnapshot | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#requests.length === 0) setImmediate(() => void this.#sendRequests())
      this.#requests.push({ run, from: Math.min(from, 2 ** 31 - 1), resolve, reject })
    })
  }

  async #sendRequests(): Promise<void> {
    const requests = this.#requests
    this.#requests = []
    try {
      const snapshots = await this.#readAll(requests)
      for (const [index, { resolve }] of requests.entries()) resolve(snapshots.get(index))
    } catch (error) {
      for (const { reject } of requests) reject(error)
    }
  }

  async #readAll(requests: readonly SnapshotRequest[]): Promise<Map<number, RunSnapshot>> {
    const s = this.#s
    const rows = await this.#read({
      name: 'argot_look',
      // One snapshot: a process that has released a document has written everything before.
      text: `select w.i::int, d.path, r.state, held.is, l.o, l.t, l.chunk, l.signed
        from unnest($1::text[], $2::int[]) with ordinality as w(run, start, i)
        join ${s}.run r on r.run = w.run join ${s}.document d on d.id = r.document and d.path is not null
        cross join lateral (select r.state <> 'ended' and exists (select 1 from ${s}.lease where path = d.path and ${s}.alive(node)) as is offset 0) held
        left join lateral (select o, t, chunk, signed from ${s}.log where run = w.run and o >= w.start order by o limit ${MOST_LINES}) l on true`,
      values: [requests.map(({ run }) => run), requests.map(({ from }) => from)],
    })
    const snapshots = new Map<number, RunSnapshot>()
    for (const { i, path, state, is, o, t, chunk, signed } of rows) {
      let snapshot = snapshots.get(i - 1)
      if (snapshot === undefined) {
        snapshot = { path, state: toState(state, is), lines: [], mayHaveMore: false }
        snapshots.set(i - 1, snapshot)
      }
      if (o === null) continue
      snapshot.lines.push({ o, t, chunk: JSON.parse(chunk) as Chunk, isSigned: signed })
      snapshot.mayHaveMore = snapshot.lines.length === MOST_LINES
    }
    for (const { lines } of snapshots.values()) lines.sort((a, b) => a.o - b.o)
    return snapshots
  }
}

/** Depends on how the log ends and whether its document is held. */
export function toState(end: 'open' | 'waiting' | 'ended', isHeld: boolean): RunState {
  if (end === 'ended') return end
  if (isHeld) return 'running'
  return end === 'waiting' ? end : 'interrupted'
}
