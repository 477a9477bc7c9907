import { randomUUID } from 'node:crypto'
import type { Queue } from '@argot/server'
import { type Job, type JobFailure, type JobFilter, mayBeSentAgain, type QueuedJob } from '@argot/server/internal'
import { BellAlarm } from '../database/bell.ts'
import type { DatabaseRow } from '../database/database.ts'
import type { DatabaseNode } from '../database/node.ts'
import { getNode, type PostgresStore } from '../store/postgres-store.ts'

/** How many finished jobs are remembered. A send that is repeated later starts a new run. */
const REMEMBERED = 100_000
/** How often to look for jobs of dead nodes. */
const SWEEP_MS = 250
/**
 * The commit doesn't wait for the disk. If the database forgets that a job was taken, parked or finished, its node
 * takes it again and finds the outcome in the log.
 */
const asyncCommit = `set_config('synchronous_commit', 'off', true)`

/** Shared by all servers and workers on a database. */
export interface PostgresQueue extends Queue {
  /** The runs whose jobs begin or change, in any process. Undefined means that some may have been missed. */
  watch(signal: AbortSignal): AsyncIterable<string | undefined>
}

/** The queue for a store, in the same tables and over the same connections. */
export function postgresQueue(store: PostgresStore): PostgresQueue {
  return new SharedQueue(getNode(store))
}

class SharedQueue implements PostgresQueue {
  readonly #node: DatabaseNode
  readonly #dispatched: Set<string> = new Set()
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(node: DatabaseNode) {
    this.#node = node
  }

  async enqueue(job: Job): Promise<{ queued: QueuedJob; isNew: boolean }> {
    const nonce = randomUUID()
    for (;;) {
      const existing = await this.#findExisting(job)
      if (existing === undefined) {
        const row = await this.#insert(job, nonce)
        if (row !== undefined) return { queued: toQueued(row), isNew: true }
        // Another process was faster.
        continue
      }
      // A send whose connection dropped may have been accepted.
      if (existing.nonce === nonce) return { queued: toQueued(existing), isNew: true }
      const queued = toQueued(existing)
      const isRepeated = queued.state !== 'finished' || (job.key !== undefined && !mayBeSentAgain(queued))
      if (isRepeated) return { queued: await this.#unpark(queued), isNew: false }
      const row = await this.#sendAgain(existing, job, nonce)
      if (row !== undefined) return { queued: toQueued(row), isNew: true }
    }
  }

  async take(signal: AbortSignal): Promise<Job | undefined> {
    const { bell } = this.#node.database
    const alarm = new BellAlarm(signal)
    const stop = bell.listenToAll(topic => {
      if (topic === undefined || topic.startsWith('work ')) alarm.ring()
    })
    const sweep = setInterval(alarm.ring, SWEEP_MS)
    try {
      while (!signal.aborted) {
        alarm.reset()
        const job = await this.#takeNext()
        if (job !== undefined) return job
        await alarm.wait()
      }
      return undefined
    } finally {
      clearInterval(sweep)
      stop()
      alarm.close()
    }
  }

  async renew(run: string): Promise<boolean> {
    const { s } = this.#node.database
    const text = `select 1 from ${s}.job where run = $1 and state = 'taken' and node = $2`
    return (await this.#node.read({ text, values: [run, await this.#node.getNumber()] })).length > 0
  }

  async park(run: string): Promise<void> {
    const { s } = this.#node.database
    await this.#node.write({
      text: `update ${s}.job set state = 'parked' where run = $1 and state = 'taken' and node = $2 returning ${asyncCommit}`,
      values: [run, await this.#node.getNumber()],
    })
    this.#dispatched.delete(run)
    this.#node.database.bell.ring(`job ${run}`)
  }

  /** Leaves a job that another process has taken to that process. */
  async finish(run: string, failure?: JobFailure): Promise<void> {
    const { s } = this.#node.database
    await this.#node.write({
      text: `update ${s}.job set state = 'finished', node = null, failure = $2, input = null
        where run = $1 and state <> 'finished' and (state <> 'taken' or node = $3) returning ${asyncCommit}`,
      values: [run, failure === undefined ? null : JSON.stringify(failure), await this.#node.getNumber()],
    })
    this.#dispatched.delete(run)
    this.#node.database.bell.ring(`job ${run}`, `work ${run}`)
  }

  async forget(isErased: (job: Job) => boolean): Promise<void> {
    const { s } = this.#node.database
    for (let after = '0'; ; ) {
      const rows = await this.#node.read({
        text: `select * from ${s}.job where state = 'finished' and seq > $1 order by seq limit 1000`,
        values: [after],
      })
      if (rows.length === 0) return
      after = rows.at(-1).seq
      const erased = rows.filter(row => isErased(toQueued(row).job)).map(({ seq }) => seq as string)
      if (erased.length === 0) continue
      const text = `delete from ${s}.job where seq = any($1) and state = 'finished'`
      await this.#node.write({ text, values: [erased] })
    }
  }

  async list({ run, key, document }: JobFilter = {}): Promise<QueuedJob[]> {
    const { s } = this.#node.database
    const [where, value] =
      run !== undefined
        ? ['run = $1', run]
        : key !== undefined
          ? ['key = $1', key]
          : document !== undefined
            ? [`document = $1 and state <> 'finished'`, document]
            : [`$1 = '' and state <> 'finished'`, '']
    const rows = await this.#node.read({ text: `select * from ${s}.job where ${where} order by seq`, values: [value] })
    return rows.map(toQueued)
  }

  async *watch(signal: AbortSignal): AsyncGenerator<string | undefined> {
    const { bell } = this.#node.database
    const changedRuns = new Set<string | undefined>()
    const alarm = new BellAlarm(signal)
    const stop = bell.listenToAll(topic => {
      if (topic !== undefined && !topic.startsWith('job ')) return
      changedRuns.add(topic?.slice('job '.length))
      alarm.ring()
    })
    try {
      while (!signal.aborted) {
        alarm.reset()
        const runs = [...changedRuns]
        changedRuns.clear()
        yield* runs
        if (changedRuns.size === 0) await alarm.wait()
      }
    } finally {
      stop()
      alarm.close()
    }
  }

  /**
   * The first unfinished job of a document, unless it is taken or parked. Jobs that a dead process had taken or parked
   * become available again: it may have died before it reported their outcome. Those are only looked for from time to
   * time, because all workers query whenever a job arrives.
   */
  async #takeNext(): Promise<Job | undefined> {
    const row = (await this.#sweep()) ?? (await this.#takeWaiting())
    if (row === undefined) return undefined
    this.#dispatched.add(row.run)
    this.#node.database.bell.ring(`job ${row.run}`)
    return toQueued(row).job
  }

  async #sweep(): Promise<DatabaseRow | undefined> {
    if (performance.now() - this.#sweptAt < SWEEP_MS) return undefined
    const row = await this.#takeAbandoned()
    if (row === undefined) this.#sweptAt = performance.now()
    return row
  }

  async #takeWaiting(): Promise<DatabaseRow | undefined> {
    const { s } = this.#node.database
    const [row] = await this.#node.queryPatiently({
      name: 'argot_take',
      text: `update ${s}.job set state = 'taken', node = $1 where seq = (
          select seq from ${s}.job j where state = 'waiting' and ${isFirst(s)} order by seq limit 1 for update skip locked)
        returning *, ${asyncCommit}`,
      values: [await this.#node.getNumber()],
    })
    return row
  }

  async #takeAbandoned(): Promise<DatabaseRow | undefined> {
    const { s } = this.#node.database
    const [row] = await this.#node.queryPatiently({
      name: 'argot_take_left',
      text: `with gone as materialized (select node from (select distinct node from ${s}.job where state <> 'finished' and node is not null) n
          where not ${s}.alive(node))
        update ${s}.job set state = 'taken', node = $1 where seq = (
          select seq from ${s}.job j where state <> 'finished'
            and (node in (select node from gone) or (state = 'taken' and node = $1 and run <> all($2))) and ${isFirst(s)}
          order by seq limit 1 for update skip locked)
        returning *, ${asyncCommit}`,
      // Jobs taken here over a connection that dropped were never dispatched.
      values: [await this.#node.getNumber(), [...this.#dispatched]],
    })
    return row
  }

  async #findExisting(job: Job): Promise<DatabaseRow | undefined> {
    const { s } = this.#node.database
    const [row] = await this.#node.read({
      text: `select * from ${s}.job where key = $1 or run = $2 order by key is not distinct from $1 desc limit 1`,
      values: [job.key ?? null, job.run],
    })
    return row
  }

  async #insert(job: Job, nonce: string): Promise<DatabaseRow | undefined> {
    const { s, bell } = this.#node.database
    const { run, document, key } = job
    const [row] = await this.#node.write({
      text: `insert into ${s}.job (run, document, key, body, input, nonce) values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning *`,
      values: [run, document, key ?? null, toBody(job), toInput(job), nonce],
    })
    if (row === undefined) return undefined
    bell.ring(`job ${run}`, `work ${run}`)
    if (Number(row.seq) % 1000 === 0) await this.#forgetOld(row.seq)
    return row
  }

  /**
   * Sends a finished job again, after those that wait. A repeated send of the same run without a digest keeps the
   * original fields that it doesn't set; any other job replaces it.
   */
  async #sendAgain(existing: DatabaseRow, job: Job, nonce: string): Promise<DatabaseRow | undefined> {
    const { s, bell } = this.#node.database
    const before = toQueued(existing).job
    const nextJob = before.run === job.run && job.digest === undefined ? { ...before, ...omitUndefined(job) } : job
    const [row] = await this.#node.write({
      text: `update ${s}.job set seq = nextval(pg_get_serial_sequence('${s}.job', 'seq')), run = $2, document = $3, key = $4, body = $5, input = $6,
          nonce = $7, state = 'waiting', node = null, failure = null
        where seq = $1 and state = 'finished' returning *`,
      values: [
        existing.seq,
        nextJob.run,
        nextJob.document,
        nextJob.key ?? null,
        toBody(nextJob),
        toInput(nextJob),
        nonce,
      ],
    })
    if (row !== undefined) bell.ring(`job ${nextJob.run}`, `work ${nextJob.run}`)
    return row
  }

  async #unpark(queued: QueuedJob): Promise<QueuedJob> {
    if (queued.state !== 'parked') return queued
    const { s, bell } = this.#node.database
    const { run } = queued.job
    await this.#node.write({
      text: `update ${s}.job set state = 'waiting', node = null where run = $1 and state = 'parked'`,
      values: [run],
    })
    bell.ring(`job ${run}`, `work ${run}`)
    return { ...queued, state: 'waiting' }
  }

  async #forgetOld(seq: string): Promise<void> {
    const { s } = this.#node.database
    const text = `delete from ${s}.job where state = 'finished' and seq < $1`
    await this.#node.write({ text, values: [Number(seq) - REMEMBERED] })
  }
}

/** SQL for: no job of the same document comes before the job `j`. */
function isFirst(s: string): string {
  return `not exists (select 1 from ${s}.job e where e.document = j.document and e.state <> 'finished' and e.seq < j.seq)`
}

function toBody({ run: _, document: __, key: ___, input: ____, ...body }: Job): string {
  return JSON.stringify(body)
}

function toInput({ input }: Job): string | null {
  return input === undefined ? null : JSON.stringify(input)
}

function toQueued({ run, document, key, body, input, state, failure }: DatabaseRow): QueuedJob {
  const job: Job = { run, document, ...JSON.parse(body) }
  if (key !== null) job.key = key
  if (input !== null) job.input = JSON.parse(input)
  return { job, state, ...(failure !== null && { failure: JSON.parse(failure) as JobFailure }) }
}

function omitUndefined(job: Job): Partial<Job> {
  return Object.fromEntries(Object.entries(job).filter(([, value]) => value !== undefined))
}
