import { Bell } from './bell.ts'
import { isAway, unavailable } from './failures.ts'
import { checkKey, migrateSchema, quoteSchema } from './migrate.ts'
import { openClient, openPool } from './open-pool.ts'
import { type PostgresClient, type PostgresPool, useClient } from './pool.ts'

export interface PostgresOptions {
  /** Keeps installations in one database apart; `argot` by default. */
  schema?: string | undefined
  /** How many connections a process uses at most if you give an address; 10 by default. */
  connections?: number | undefined
  /** The database's own address, for `LISTEN`, if the other address is a pooler's. */
  listen?: string | undefined
  /** Whether statements are prepared. By default they are, unless a pooler such as PgBouncer answers for the database. */
  prepare?: boolean | undefined
  /**
   * `durable`: `flush` resolves when the database has it on its disk. `fast`: when the database has it, and the last moments
   * before a crash of the database itself may be lost, apart from what was synced. `durable` by default.
   */
  flush?: 'durable' | 'fast' | undefined
  /** How long a process waits for a database that does not answer, in milliseconds; 60 seconds by default. */
  patienceMs?: number | undefined
  /** A node that has not been heard of for this long counts as gone, in milliseconds; 6 seconds by default. */
  leaseMs?: number | undefined
  /** The key that every process on the database shares (`ARGOT_STATE_KEY`). One with another key is refused. */
  key?: Uint8Array | undefined
}

const CONNECTIONS = 10
const PATIENCE_MS = 60_000
const LEASE_MS = 6000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

/** A statement of one transaction. All of them may be made twice: a connection that drops does not say what became of it. */
export interface Statement {
  text: string
  values: unknown[]
  /** Under which it is prepared. */
  name?: string
}

// biome-ignore lint/suspicious/noExplicitAny: what a row has is in its statement
export type DatabaseRow = any

/** One database, for everything in this process that uses it. */
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
  #offset = 0
  /** A pooler gives each transaction another connection, so nothing may depend on a session. */
  #isPooled = false
  #isClosed = false
  /** Stores and queues that use it. */
  users = 0

  constructor(source: PostgresPool | string, options: PostgresOptions) {
    const { schema = 'argot', connections = CONNECTIONS, listen, leaseMs = LEASE_MS } = options
    this.s = quoteSchema(schema)
    this.#ownsPool = typeof source === 'string'
    const pool = typeof source === 'string' ? openPool(source, connections) : source
    this.#pool = pool
    this.#options = options
    this.leaseMs = leaseMs
    this.isFast = options.flush === 'fast'
    keepCalm(pool)
    this.bell = new Bell({
      channel: `"argot_${schema}"`.replaceAll('"', ''),
      connect: async () => {
        await this.ready()
        if (listen !== undefined) return openClient(listen)
        return this.#isPooled ? undefined : pool.connect()
      },
      connected: async client => {
        for (const hook of this.#hooks) await hook(client)
      },
    })
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The time of the database, in milliseconds, as far as it is known here: all processes count by one clock. */
  now(): number {
    return Math.round(Date.now() + this.#offset)
  }

  setTime(time: number): void {
    this.#offset = time - Date.now()
  }

  /** Calls this with the connection that listens, now and whenever there is a new one. */
  onSession(hook: (client: PostgresClient) => Promise<void>): () => void {
    this.#hooks.add(hook)
    this.bell.open()
    this.bell.use(hook)
    return () => this.#hooks.delete(hook)
  }

  /** Resolves when the tables are there. */
  ready(): Promise<void> {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  /** Makes a statement, as often as it takes until the database answers or patience ends. */
  async query(
    { text, values, name }: Statement,
    patienceMs: number | undefined = this.#options.patienceMs,
  ): Promise<DatabaseRow[]> {
    return this.#patiently(async () => {
      await this.ready()
      const isPrepared = (this.#options.prepare ?? !this.#isPooled) && name !== undefined
      const query = isPrepared ? { text, values, name: `${name} ${this.s}` } : { text, values }
      return (await this.#pool.query(query)).rows
    }, patienceMs)
  }

  /** Ends with the last of its users. */
  async close(): Promise<void> {
    if (--this.users > 0 || this.#isClosed) return
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

  async #patiently<Value>(work: () => Promise<Value>, patienceMs = PATIENCE_MS): Promise<Value> {
    const end = performance.now() + patienceMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await work()
      } catch (error) {
        // A pool that has ended has its own words for it.
        if (!isAway(error) && !this.#isClosed) throw error
        if (this.#isClosed || performance.now() + pauseMs > end) throw unavailable(error)
      }
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
}

/** A pooler makes up the number under which a client can cancel; the database tells that of its process. */
function isPooled(pool: PostgresPool): Promise<boolean> {
  return useClient(pool, async client => {
    const { rows } = await client.query({ text: 'select pg_backend_pid() as pid' })
    return typeof client.processID === 'number' && client.processID !== rows[0].pid
  })
}

const calm: WeakSet<PostgresPool> = new WeakSet()

/**
 * A connection that drops is no reason to die. A pool listens to those that nobody uses; one that drops in the very packet
 * with which it began is already somebody's, who had no time to listen.
 */
function keepCalm(pool: PostgresPool): void {
  if (calm.has(pool)) return
  calm.add(pool)
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
}

const databases: WeakMap<PostgresPool, Map<string, Database>> = new WeakMap()

/** The database of an address, or the one that a pool and these options have already. */
export function openDatabase(source: PostgresPool | string, options: PostgresOptions): Database {
  const database = typeof source === 'string' ? new Database(source, options) : sharedDatabase(source, options)
  database.users++
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
