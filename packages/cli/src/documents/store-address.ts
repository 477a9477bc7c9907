import { createHmac } from 'node:crypto'
import { makeStateKey } from '@argot/agent/internal'
import type { PostgresStore } from '@argot/postgres'
import { type Io, UsageError } from '../io/io.ts'

/** How long a process waits for a database that doesn't respond. A web node returns 503 soon; a run can wait. */
const PATIENCE_MS = { web: 2000, worker: 600_000 } as const

/** The database address, from the flag or from `ARGOT_STORE`. The variable keeps the password out of process lists. */
export function storeAddress(flag: string | undefined, io: Io): string | undefined {
  const address = flag ?? io.env.ARGOT_STORE
  return address === undefined || address === '' ? undefined : address
}

/** Opens the store at an address. Rejects with a one-sentence message if it can't be used. */
export async function openStore(
  address: string,
  { as, configFolder, io }: { as: 'web' | 'worker'; configFolder: string; io: Io },
): Promise<{ store: PostgresStore; key: Uint8Array | undefined }> {
  const { isPostgresUrl } = await import('@argot/postgres/internal')
  if (!isPostgresUrl(address)) {
    throw new UsageError('--store must be a database address, such as postgres://user@host/name.')
  }
  const { postgresStore } = await import('@argot/postgres')
  const key = await makeStateKey(configFolder, io.env)
  const listen = io.env.ARGOT_STORE_LISTEN || undefined
  const store = postgresStore(address, { key, listen, patienceMs: PATIENCE_MS[as] })
  try {
    await store.ready()
  } catch (error) {
    await store.close()
    throw error
  }
  return { store, key }
}

/** Web nodes on one database share a token by default. It is derived from their shared key. */
export function sharedToken(key: Uint8Array): string {
  return createHmac('sha256', key).update('argot token').digest('base64url')
}
