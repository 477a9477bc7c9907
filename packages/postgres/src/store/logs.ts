import {
  endsRun,
  type Lease,
  type RunEntry,
  type RunLog,
  type RunLogs,
  type RunNews,
  type RunState,
  type StoredLog,
  type TailLine,
} from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { isInternalMark, type LogLine } from '@argot/core/stream'
import { TopicAlarm } from '../database/bell.ts'
import { leaseLost, noDocument } from '../database/failures.ts'
import type { DatabaseNode } from '../database/node.ts'
import type { PostgresLeases } from './leases.ts'
import { LogReader, toState } from './log-reader.ts'
import { PostgresLog } from './open-log.ts'

export class PostgresLogs implements RunLogs {
  readonly #node: DatabaseNode
  readonly #leases: PostgresLeases
  readonly #reader: LogReader
  /** For callers that wait. */
  readonly #watcher: LogReader

  constructor(node: DatabaseNode, leases: PostgresLeases) {
    this.#node = node
    this.#leases = leases
    this.#reader = new LogReader(node, statement => node.read(statement))
    this.#watcher = new LogReader(node, statement => node.queryPatiently(statement))
  }

  async open(path: string, run: string, lease: Lease): Promise<RunLog> {
    this.#leases.check(lease, path)
    const { s, bell } = this.#node.database
    const [row] = await this.#node.write({
      // Lines that no signature covers come from a log that was copied in: no process continues after them.
      text: `with held as (select 1 from ${s}.lease where path = $1 and epoch = $2 for share),
        doc as (select id from ${s}.document, held where path = $1),
        new as (insert into ${s}.run (run, document) select $3, id from doc on conflict (run) do nothing returning 1),
        doubtful as (delete from ${s}.log using held where run = $3 and not signed and exists (select 1 from ${s}.log where run = $3 and signed))
        select (select count(*)::int from held) as held, (select id from doc) as id, (select document from ${s}.run where run = $3) as document,
          (select state from ${s}.run where run = $3) as state, (select max(o) from ${s}.log where run = $3) as last`,
      values: [path, lease.epoch, run],
    })
    if (row.held === 0) throw leaseLost(path)
    if (row.id === null) throw noDocument(path)
    if (row.document !== null && row.document !== row.id) {
      throw new ArgotError('RUN_NOT_SAVED', `Another document has a run \`${run.slice(0, 200)}\`.`)
    }
    if (row.document === null) bell.ring(`document ${path}`, `job ${run}`, `run ${run}`)
    const next = (row.last ?? -1) + 1
    return new PostgresLog({ node: this.#node, leases: this.#leases, lease, run, next, state: row.state ?? 'open' })
  }

  async read(run: string): Promise<StoredLog | undefined> {
    const lines: TailLine[] = []
    let path: string | undefined
    for (let isPart = true; isPart; ) {
      const snapshot = await this.#reader.read(run, (lines.at(-1)?.o ?? -1) + 1)
      if (snapshot === undefined) return undefined
      lines.push(...snapshot.lines)
      path = snapshot.path
      isPart = snapshot.mayHaveMore
    }
    const doubtful = lines.findIndex(({ isSigned }) => !isSigned)
    return {
      run,
      path: path!,
      lines: lines.map(({ o, t, chunk }) => ({ o, t, chunk })),
      believed: doubtful === -1 ? lines.length : doubtful,
      next: (lines.at(-1)?.o ?? -1) + 1,
    }
  }

  async tail(run: string, from: number): Promise<TailLine[]> {
    return (await this.#reader.read(run, from))?.lines ?? []
  }

  async *follow(run: string, from = 0, signal?: AbortSignal): AsyncGenerator<LogLine> {
    const alarm = new TopicAlarm(this.#node.database.bell, [`run ${run}`], signal)
    try {
      let next = from
      while (signal?.aborted !== true) {
        alarm.reset()
        const snapshot = await this.#watcher.read(run, next)
        for (const { o, t, chunk } of snapshot?.lines ?? []) {
          if (!isInternalMark(chunk)) yield { o, t, chunk }
          next = o + 1
          if (endsRun(chunk)) return
        }
        if (snapshot?.mayHaveMore === true) continue
        if (snapshot?.state === 'ended') return
        await alarm.wait()
      }
    } finally {
      alarm.close()
    }
  }

  async *watch(run: string, from: number, signal: AbortSignal): AsyncGenerator<RunNews> {
    const { bell } = this.#node.database
    const path = (await this.#watcher.read(run, Number.POSITIVE_INFINITY))?.path
    if (path === undefined) return
    const alarm = new TopicAlarm(bell, [`run ${run}`, `lease ${path}`], signal)
    try {
      let next = from
      let lastState: RunState | undefined
      while (!signal.aborted) {
        alarm.reset()
        const snapshot = await this.#watcher.read(run, next)
        if (snapshot === undefined || snapshot.path !== path || signal.aborted) return
        const { lines, mayHaveMore } = snapshot
        const state = mayHaveMore ? undefined : snapshot.state
        next = (lines.at(-1)?.o ?? next - 1) + 1
        if (lines.length > 0 || (state !== undefined && state !== lastState)) yield { path, state, lines }
        lastState = state ?? lastState
        if (state === 'ended') return
        if (!mayHaveMore) await alarm.wait()
      }
    } finally {
      alarm.close()
    }
  }

  async find(run: string): Promise<RunEntry | undefined> {
    const [entry] = await this.#list('r.run = $1', [run])
    return entry
  }

  async list({ path, state }: { path?: string | undefined; state?: RunState | undefined } = {}): Promise<RunEntry[]> {
    const byPath = path === undefined ? 'true' : 'd.path = $1'
    const byState = state === undefined ? 'true' : state === 'ended' ? `r.state = 'ended'` : `r.state <> 'ended'`
    const entries = await this.#list(`${byPath} and ${byState}`, path === undefined ? [] : [path])
    return state === undefined ? entries : entries.filter(entry => entry.state === state)
  }

  async #list(where: string, values: unknown[]): Promise<RunEntry[]> {
    const { s } = this.#node.database
    const rows = await this.#node.read({
      text: `select r.run, d.path, r.state, r.state <> 'ended' and l.path is not null and ${s}.alive(l.node) as held
        from ${s}.run r join ${s}.document d on d.id = r.document and d.path is not null
        left join ${s}.lease l on l.path = d.path where ${where} order by r.run`,
      values,
    })
    return rows.map(({ run, path, state, held }) => ({ run, path, state: toState(state, held) }))
  }
}
