import { type Lease, mark, type RunLog, resumeMark, stateAfter } from '@argot/agent/internal'
import { ArgotError, type Chunk } from '@argot/core'
import { leaseLost } from '../database/failures.ts'
import type { DatabaseNode } from '../database/node.ts'
import type { PostgresLeases } from './leases.ts'

/** The longest line in characters. The folder store's limit is the same number of bytes. */
export const LONGEST_LINE: number = 64 * 1024 * 1024
/** The approximate maximum number of characters in one statement's lines. */
const LONGEST_BATCH = 8 * 1024 * 1024

export interface LogContext {
  node: DatabaseNode
  leases: PostgresLeases
  lease: Lease
  run: string
  next: number
  state: 'open' | 'waiting' | 'ended'
}

interface PendingLine {
  o: number
  t: number
  json: string
  state: LogContext['state']
}

/**
 * A log that its holder writes. Lines appended in one turn of the event loop are one statement, which also checks the
 * lease's epoch: a process that has lost the document writes nothing. Only one statement is on its way at a time.
 */
export class PostgresLog implements RunLog {
  readonly #context: LogContext
  #next: number
  #state: LogContext['state']
  #lines: PendingLine[] = []
  /** The statement on its way, and the callers waiting for the next one. */
  #sending: Promise<void> = Promise.resolve()
  #gathering: { isDurable: boolean; done: Promise<void> } | undefined
  /** The database may have lines that aren't on its disk yet. */
  #isDirty = false
  #failure: unknown

  constructor(context: LogContext) {
    this.#context = context
    this.#next = context.next
    this.#state = context.state
    if (context.next > 0) this.append(mark(resumeMark, { epoch: context.lease.epoch }))
  }

  append(chunk: Chunk, time: number = this.#context.node.database.now()): number {
    const json = JSON.stringify(chunk)
    if (json.length > LONGEST_LINE) {
      const message = `A chunk (\`${chunk.type}\`) is longer than a line of a log may be, so the run cannot be stored.`
      throw new ArgotError('RUN_NOT_SAVED', message)
    }
    this.#lines.push({ o: this.#next, t: time, json, state: stateAfter(chunk) })
    return this.#next++
  }

  flush(): Promise<void> {
    return this.#lines.length === 0 && this.#gathering === undefined ? this.#sending : this.#send(false)
  }

  async sync(): Promise<void> {
    const { leases, lease } = this.#context
    leases.check(lease, lease.path)
    await this.#send(true)
  }

  async close(): Promise<void> {
    await this.#sending.catch(() => {})
  }

  /** Sends everything appended in this turn together, after the previous statement. */
  #send(isDurable: boolean): Promise<void> {
    if (this.#gathering === undefined) {
      const before = this.#sending
      const gathering = { isDurable, done: Promise.resolve() }
      gathering.done = (async () => {
        await Promise.all([before.catch(() => {}), new Promise(resolve => setImmediate(resolve))])
        this.#gathering = undefined
        await this.#write(gathering.isDurable)
      })()
      this.#gathering = gathering
      this.#sending = gathering.done
      // The caller gets the error; the next statement tries again.
      gathering.done.catch(() => {})
    }
    this.#gathering.isDurable ||= isDurable
    return this.#gathering.done
  }

  async #write(isDurable: boolean): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    do {
      const batch = this.#takeBatch()
      try {
        await this.#insert(batch, isDurable && this.#lines.length === 0)
      } catch (error) {
        this.#lines.unshift(...batch)
        throw error
      }
    } while (this.#lines.length > 0)
  }

  #takeBatch(): PendingLine[] {
    let size = 0
    const end = this.#lines.findIndex(({ json }, index) => (size += json.length) > LONGEST_BATCH && index > 0)
    return this.#lines.splice(0, end === -1 ? this.#lines.length : end)
  }

  async #insert(batch: readonly PendingLine[], isDurable: boolean): Promise<void> {
    const { node, lease, run } = this.#context
    const { isFast, bell } = node.database
    if (batch.length === 0) return isDurable ? this.#settle() : undefined
    const waitsForDisk = isDurable || !isFast
    const state = batch.at(-1)!.state
    const [row] = await node.write({
      ...this.#statement(waitsForDisk, state !== this.#state),
      values: [
        lease.path,
        lease.epoch,
        run,
        batch.map(({ o }) => o),
        batch.map(({ t }) => t),
        batch.map(({ json }) => json),
        ...(state === this.#state ? [] : [state]),
      ],
    })
    if (row.held === 0) throw this.#leaseLost()
    this.#state = state
    this.#isDirty = !waitsForDisk
    bell.ring(`run ${run}`)
  }

  /** The asynchronous form commits without waiting for the database's disk. */
  #statement(waitsForDisk: boolean, changesState: boolean): { name: string; text: string } {
    const { s } = this.#context.node.database
    const stateUpdate = changesState
      ? `, marked as (update ${s}.run set state = $7, updated = clock_timestamp() from held where run = $3)`
      : ''
    return {
      name: `argot_append${waitsForDisk ? '' : '_fast'}${changesState ? '_state' : ''}`,
      text: `with held as (select epoch from ${s}.lease where path = $1 and epoch = $2 for share),
        lines as (insert into ${s}.log (run, o, e, t, chunk) select $3, l.o, held.epoch, l.t, l.chunk
          from held, unnest($4::integer[], $5::double precision[], $6::text[]) as l(o, t, chunk) on conflict (run, o) do nothing)${stateUpdate}
        select count(*)::int as held${waitsForDisk ? '' : ", set_config('synchronous_commit', 'off', true)"} from held`,
    }
  }

  /** Everything is written. Lines written without waiting reach the disk with the next durable commit of any kind. */
  async #settle(): Promise<void> {
    const { node, lease } = this.#context
    const { s } = node.database
    const where = `from ${s}.lease where path = $1 and epoch = $2`
    const values = [lease.path, lease.epoch]
    const text = this.#isDirty
      ? `update ${s}.lease set holder = holder where path = $1 and epoch = $2 returning 1`
      : `select 1 ${where}`
    const rows = await (this.#isDirty ? node.write({ text, values }) : node.read({ text, values }))
    if (rows.length === 0) throw this.#leaseLost()
    this.#isDirty = false
  }

  #leaseLost(): unknown {
    this.#failure ??= leaseLost(this.#context.lease.path)
    return this.#failure
  }
}
