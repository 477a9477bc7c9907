import { hostname } from 'node:os'
import type { Database, DatabaseRow, Statement } from './database.ts'
import type { PostgresClient } from './pool.ts'

const HEARTBEAT_MS = 400

/** Performs one change to the database. Tests let the process die there. */
export type RunChange = <Value>(operation: () => Promise<Value>) => Promise<Value>

export interface HeldLease {
  path: string
  epoch: number
  lose(): void
}

/**
 * This process as the others see it. The leases it holds and the jobs it has taken name the node, and one heartbeat
 * keeps all of them. Times are the database's.
 */
export class DatabaseNode {
  readonly database: Database
  readonly #change: RunChange
  readonly #held: Map<string, HeldLease> = new Map()
  #number: Promise<number> | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #isBeating = false
  #stops: (() => void)[] = []

  constructor(database: Database, change: RunChange = operation => operation()) {
    this.database = database
    this.#change = change
  }

  /** The number that identifies the node. The first call registers it. */
  getNumber(): Promise<number> {
    this.#number ??= this.#register().catch((error: unknown) => {
      this.#number = undefined
      throw error
    })
    return this.#number
  }

  /** Must not change anything. */
  read(statement: Statement): Promise<DatabaseRow[]> {
    return this.database.query(statement)
  }

  /** Waits for an unavailable database without a time limit. Used to follow changes and to take jobs. */
  queryPatiently(statement: Statement): Promise<DatabaseRow[]> {
    return this.database.query(statement, Number.POSITIVE_INFINITY)
  }

  /** Runs a statement that changes something, completely or not at all. */
  write(statement: Statement): Promise<DatabaseRow[]> {
    return this.#change(() => this.database.query(statement))
  }

  hold(lease: HeldLease): void {
    this.#held.set(lease.path, lease)
  }

  drop(lease: HeldLease): void {
    if (this.#held.get(lease.path) === lease) this.#held.delete(lease.path)
  }

  /** Reports that the node is alive, and finds out which leases others have taken. */
  async beat(): Promise<void> {
    const { s, leaseMs } = this.database
    const no = await this.getNumber()
    const paths = [...this.#held.keys()]
    const rows = await this.database.query({
      name: 'argot_beat',
      // Isn't needed after a crash, so it doesn't wait for the disk.
      text: `with fast as (select set_config('synchronous_commit', 'off', true)),
        beat as (insert into ${s}.node (no, name, beat, until) select $1, $2, clock_timestamp(), clock_timestamp() + $3 * interval '1 ms' from fast
          on conflict (no) do update set beat = excluded.beat, until = excluded.until)
        select path, epoch, null as time from ${s}.lease where path = any($4) union all select null, null, extract(epoch from clock_timestamp()) * 1000`,
      values: [no, nodeName(), leaseMs, paths],
    })
    const epochs = new Map<string, number>()
    for (const { path, epoch, time } of rows) {
      if (path === null) this.database.setTime(Number(time))
      else epochs.set(path, Number(epoch))
    }
    for (const path of paths) {
      const lease = this.#held.get(path)
      if (lease === undefined || epochs.get(path) === lease.epoch) continue
      // A lease taken while the query was on its way is newer.
      if ((epochs.get(path) ?? Number.POSITIVE_INFINITY) > lease.epoch) this.#lose(lease)
    }
  }

  /** Others take over what it holds without waiting. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const stop of this.#stops) stop()
    this.#stops = []
    const no = await this.#number?.catch(() => undefined)
    this.#number = undefined
    if (no === undefined) return
    const { s } = this.database
    // Its parked jobs stay parked; the jobs it had taken become available again.
    const text = `with parked as (update ${s}.job set node = null where node = $1 and state = 'parked') delete from ${s}.node where no = $1`
    await this.database.query({ text, values: [no] }, 0).catch(() => {})
  }

  #lose(lease: HeldLease): void {
    this.drop(lease)
    lease.lose()
  }

  async #register(): Promise<number> {
    const { s, leaseMs } = this.database
    const [row] = await this.database.query({
      text: `with old as (delete from ${s}.node where until < clock_timestamp() - interval '1 day')
        insert into ${s}.node (name, beat, until) values ($1, clock_timestamp(), clock_timestamp() + $2 * interval '1 ms') returning no`,
      values: [nodeName(), leaseMs],
    })
    const no: number = row.no
    this.#timer = setInterval(() => void this.#tick(), HEARTBEAT_MS)
    this.#timer.unref()
    this.#stops = [this.database.onSession(client => this.#lockSession(client, no)), this.#watchLeases()]
    return no
  }

  /** The database releases this lock the moment the process dies, long before the lease expires. */
  async #lockSession(client: PostgresClient, no: number): Promise<void> {
    const { s } = this.database
    const name = `${s}.node`
    await client.query({ text: 'select pg_try_advisory_lock($1::regclass::oid::integer, $2)', values: [name, no] })
    await client.query({ text: `update ${s}.node set has_session = true where no = $1`, values: [no] })
  }

  /** A process that takes over a document rings. */
  #watchLeases(): () => void {
    return this.database.bell.listenToAll(topic => {
      if (topic?.startsWith('lease ') === true && this.#held.has(topic.slice('lease '.length))) void this.#tick()
    })
  }

  async #tick(): Promise<void> {
    if (this.#isBeating) return
    this.#isBeating = true
    try {
      await this.beat()
    } catch {
      // The database is unavailable. The next heartbeat finds out whether the lease has ended.
    } finally {
      this.#isBeating = false
    }
  }
}

function nodeName(): string {
  return `process ${process.pid} on ${hostname()}`
}
