import type { Store } from '@argot/agent'
import { type Database, openDatabase, type PostgresOptions } from '../database/database.ts'
import { DatabaseNode, type RunChange } from '../database/node.ts'
import type { PostgresPool } from '../database/pool.ts'
import { PostgresDocuments } from './documents.ts'
import { PostgresFiles } from './files.ts'
import { PostgresInbox } from './inbox.ts'
import { PostgresLeases } from './leases.ts'
import { PostgresLogs } from './logs.ts'
import { pruneDatabase } from './prune.ts'
import { PostgresSidecars } from './sidecars.ts'
import { PostgresTrash } from './trash.ts'

/** A store in a database. Close it when you no longer need it. */
export interface PostgresStore extends Store {
  /** Resolves when the tables exist. Rejects with the reason if the database can't be used. */
  ready(): Promise<void>
  /** The database's time in milliseconds, so that all processes share one clock. Pass it to `createServer`. */
  now(): number
  /** Lets others take over what this process still holds. Ends the connections, unless you passed a pool. */
  close(): Promise<void>
}

/** How long a starting process waits for its database. */
const START_MS = 60_000

const nodes: WeakMap<PostgresStore, DatabaseNode> = new WeakMap()

/** Keeps documents and runs in PostgreSQL for any number of processes and machines. Creates the tables on first use. */
export function postgresStore(source: PostgresPool | string, options: PostgresOptions = {}): PostgresStore {
  return createStore(openDatabase(source, options))
}

/** Like `postgresStore`; each change goes through `change`. */
export function createStore(database: Database, change?: RunChange): PostgresStore {
  const node = new DatabaseNode(database, change)
  const leases = new PostgresLeases(node)
  let isClosed = false
  const store: PostgresStore = {
    root: undefined,
    leases,
    documents: new PostgresDocuments(node, leases),
    logs: new PostgresLogs(node, leases),
    inbox: new PostgresInbox(node),
    trash: new PostgresTrash(node),
    sidecars: new PostgresSidecars(node, leases),
    files: path => new PostgresFiles(node, path),
    prune: options => pruneDatabase(node, options),
    ready: async () => void (await database.query({ text: 'select 1', values: [] }, START_MS)),
    now: () => database.now(),
    async close() {
      if (isClosed) return
      isClosed = true
      await node.close()
      await database.close()
    },
  }
  nodes.set(store, node)
  return store
}

export function getNode(store: PostgresStore): DatabaseNode {
  const node = nodes.get(store)
  if (node === undefined) throw new TypeError('This store was not created by `postgresStore`.')
  return node
}
