import { ArgotError } from '@argot/core'
import pg from 'pg'
import type { PostgresClient, PostgresPool } from './pool.ts'

const CONNECT_MS = 5000

/** Throws `STORE_BAD_URL` without revealing the password. */
export function openPool(url: string, size: number): PostgresPool {
  return new pg.Pool({ ...parse(url), max: size, connectionTimeoutMillis: CONNECT_MS }) as unknown as PostgresPool
}

/** A single connection, for databases with a pooler that shares connections between clients. */
export async function openClient(url: string): Promise<PostgresClient> {
  const client = new pg.Client({ ...parse(url), connectionTimeoutMillis: CONNECT_MS })
  client.on('error', () => {})
  await client.connect()
  return Object.assign(client, { release: () => void client.end() }) as unknown as PostgresClient
}

function parse(url: string): { connectionString: string; keepAlive: true; application_name: string } {
  if (!isPostgresUrl(url) || !URL.canParse(url)) {
    throw new ArgotError('STORE_BAD_URL', 'Name a database by an address like `postgres://user:password@host/name`.')
  }
  return { connectionString: url, keepAlive: true, application_name: 'argot' }
}

export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text)
}
