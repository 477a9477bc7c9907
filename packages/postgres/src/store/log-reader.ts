import type { RunState, TailLine } from '@argot/agent/internal'
import type { Chunk } from '@argot/core'
import type { DatabaseNode } from '../database/node.ts'

const MOST_LINES = 1000

export interface RunLook {
  path: string
  /** Depends on how the log ends and whether the document is held. */
  state: RunState
  lines: TailLine[]
  isPart: boolean
}

interface LookRequest {
  run: string
  from: number
  resolve(look: RunLook | undefined): void
  reject(error: unknown): void
}

/**
 * Reads lines and states of runs. All requests in one turn of the event loop share one statement, so following a
 * hundred runs needs no more queries than following one.
 */
export class LogReader {
  readonly #read: DatabaseNode['read']
  readonly #s: string
  #requests: LookRequest[] = []

  /** `read` queries the database. */
  constructor(node: DatabaseNode, read: DatabaseNode['read']) {
    this.#s = node.database.s
    this.#read = read
  }

  /** Undefined for a run without a log. */
  look(run: string, from: number): Promise<RunLook | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#requests.length === 0) setImmediate(() => void this.#ask())
      this.#requests.push({ run, from: Math.min(from, 2 ** 31 - 1), resolve, reject })
    })
  }

  async #ask(): Promise<void> {
    const requests = this.#requests
    this.#requests = []
    try {
      const looks = await this.#readAll(requests)
      for (const [index, { resolve }] of requests.entries()) resolve(looks.get(index))
    } catch (error) {
      for (const { reject } of requests) reject(error)
    }
  }

  async #readAll(requests: readonly LookRequest[]): Promise<Map<number, RunLook>> {
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
    const looks = new Map<number, RunLook>()
    for (const { i, path, state, is, o, t, chunk, signed } of rows) {
      let look = looks.get(i - 1)
      if (look === undefined) {
        look = { path, state: toState(state, is), lines: [], isPart: false }
        looks.set(i - 1, look)
      }
      if (o === null) continue
      look.lines.push({ o, t, chunk: JSON.parse(chunk) as Chunk, isSigned: signed })
      look.isPart = look.lines.length === MOST_LINES
    }
    for (const { lines } of looks.values()) lines.sort((a, b) => a.o - b.o)
    return looks
  }
}

/** The state of a run, from how its log ends and whether its document is held. */
export function toState(end: 'open' | 'waiting' | 'ended', isHeld: boolean): RunState {
  if (end === 'ended') return end
  if (isHeld) return 'running'
  return end === 'waiting' ? end : 'interrupted'
}
