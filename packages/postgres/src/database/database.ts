import { Bell } from './bell.ts'
import { isTemporary, unavailable } from './failures.ts'
import { checkKey, migrateSchema, quoteSchema } from './migrate.ts'
import { openClient, openPool } from './open-pool.ts'
import { type PostgresClient, type PostgresPool, useClient } from './pool.ts'

export interface PostgresOptions {
  /** Separates installations in one database; `argot` by default. */
  schema?: string | undefined
  /** The maximum number of connections per process if you pass an address; 10 by default. */
  connections?: number | undefined
  /** The database's own address, for `LISTEN`, if the other address is a pooler's. */
  listen?: string | undefined
  /** Whether to prepare statements. By default yes, unless a pooler such as PgBouncer answers for the database. */
  prepare?: boolean | undefined
  /**
   * `durable`: `flush` resolves when the data is on the database's disk. `fast`: when the database has received it. If
   * the database itself crashes, the last moments may be lost, except what was synced. `durable` by default.
   */
  flush?: 'durable' | 'fast' | undefined
  /** How long a process waits for a database that doesn't answer, in milliseconds; 60 seconds by default. */
  patienceMs?: number | undefined
  /** A node that hasn't reported for this long is considered gone, in milliseconds; 6 seconds by default. */
  leaseMs?: number | undefined
  /** The key that all processes on the database share (`ARGOT_STATE_KEY`). A process with another key is refused. */
  key?: Uint8Array | undefined
}

const CONNECTIONS = 10
const PATIENCE_MS = 60_000
const LEASE_MS = 6000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

/**
 * A statement of one transaction. It must be safe to run twice: a dropped connection doesn't tell whether it succeeded.
 */
export interface Statement {
  text: string
  values: unknown[]
  name?: string
}

// biome-ignore lint/suspicious/noExplicitAny: what a row has is in its statement
export type DatabaseRow = any

/** One database, shared by everything in this process that uses it. */
export class Database {
  /** The schema, quoted. */
  readonly s: string
  readonly bell: Bell
  readonly leaseMs: number
  readonly isFast: boolean
  readonly #pool: PostgresPool
  readonly #ownsPool: boolean
  readonly #options: PostgresOptions
  readonly #hooks: Set<(client: PostgresClient) => Promise<void>> = new Set()
  #ready: Promise<void> | undefined
  #clockOffset = 0
  /** A pooler may use another connection for each transaction, so nothing may depend on a session. */
  #isPooled = false
  #isClosed = false
  /** How many stores and `migrate` calls have it open. */
  userCount = 0

  constructor(source: PostgresPool | string, options: PostgresOptions) {
    const { schema = 'argot', connections = CONNECTIONS, listen, leaseMs = LEASE_MS } = options
    this.s = quoteSchema(schema)
    this.#ownsPool = typeof source === 'string'
    const pool = typeof source === 'string' ? openPool(source, connections) : source
    this.#pool = pool
    this.#options = options
    this.leaseMs = leaseMs
    this.isFast = options.flush === 'fast'
    ignoreConnectionErrors(pool)
    this.bell = new Bell({
      channel: `"argot_${schema}"`.replaceAll('"', ''),
      connect: async () => {
        await this.ready()
        if (listen !== undefined) return openClient(listen)
        return this.#isPooled ? undefined : pool.connect()
      },
      onConnect: async client => {
        for (const hook of this.#hooks) await hook(client)
      },
    })
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The database's time in milliseconds, as estimated here, so that all processes share one clock. */
  now(): number {
    return Math.round(Date.now() + this.#clockOffset)
  }

  setTime(time: number): void {
    this.#clockOffset = time - Date.now()
  }

  /** Calls the hook with the listening connection, now and for each new one. */
  onSession(hook: (client: PostgresClient) => Promise<void>): () => void {
    this.#hooks.add(hook)
    this.bell.open()
    this.bell.use(hook)
    return () => this.#hooks.delete(hook)
  }

  ready(): Promise<void> {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  /** Runs a statement, retrying until the database answers or `patienceMs` is over. */
  async query(
    { text, values, name }: Statement,
    patienceMs: number | undefined = this.#options.patienceMs,
  ): Promise<DatabaseRow[]> {
    return this.#retry(async () => {
      await this.ready()
      const isPrepared = (this.#options.prepare ?? !this.#isPooled) && name !== undefined
      const query = isPrepared ? { text, values, name: `${name} ${this.s}` } : { text, values }
      return (await this.#pool.query(query)).rows
    }, patienceMs)
  }

  /** Closes when its last user does. */
  async close(): Promise<void> {
    if (--this.userCount > 0 || this.#isClosed) return
    this.#isClosed = true
    this.bell.close()
    if (this.#ownsPool) await this.#pool.end()
  }

  async #prepare(): Promise<void> {
    await migrateSchema(this.#pool, this.s)
    this.#isPooled = await isPooled(this.#pool)
    const { rows } = await this.#pool.query({ text: 'select extract(epoch from clock_timestamp()) * 1000 as time' })
    this.setTime(Number(rows[0].time))
    if (this.#options.key !== undefined) await checkKey(this.#pool, this.s, this.#options.key)
  }

  async #retry<Value>(work: () => Promise<Value>, patienceMs = PATIENCE_MS): Promise<Value> {
    const end = performance.now() + patienceMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await work()
      } catch (error) {
        // A pool that has ended throws its own error.
        if (!isTemporary(error) && !this.#isClosed) throw error
        if (this.#isClosed || performance.now() + pauseMs > end) throw unavailable(error)
      }
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
}

/** Poolers make up the process number for cancel requests; the database reports its own. */
function isPooled(pool: PostgresPool): Promise<boolean> {
  return useClient(pool, async client => {
    const { rows } = await client.query({ text: 'select pg_backend_pid() as pid' })
    return typeof client.processID === 'number' && client.processID !== rows[0].pid
  })
}

const guardedPools: WeakSet<PostgresPool> = new WeakSet()

/**
 * A dropped connection must not end the process. A pool handles errors of its idle connections. But a connection that
 * drops right after it opened may already be in use, by code that has had no time to listen.
 */
function ignoreConnectionErrors(pool: PostgresPool): void {
  if (guardedPools.has(pool)) return
  guardedPools.add(pool)
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
}

const databases: WeakMap<PostgresPool, Map<string, Database>> = new WeakMap()

/** Opens the database at an address. Callers with the same pool and the same options share one database. */
export function openDatabase(source: PostgresPool | string, options: PostgresOptions): Database {
  const database = typeof source === 'string' ? new Database(source, options) : sharedDatabase(source, options)
  database.userCount++
  return database
}

function sharedDatabase(pool: PostgresPool, options: PostgresOptions): Database {
  const poolDatabases = databases.get(pool) ?? new Map<string, Database>()
  databases.set(pool, poolDatabases)
  const name = JSON.stringify({ ...options, key: options.key && Buffer.from(options.key).toString('base64') })
  const shared = poolDatabases.get(name)
  if (shared !== undefined && !shared.isClosed) return shared
  const database = new Database(pool, options)
  poolDatabases.set(name, database)
  return database
}
