import { createHmac } from 'node:crypto'
import { ArgotError } from '@argot/core'
import { type PostgresClient, type PostgresPool, useClient } from './pool.ts'
import { migrations, SCHEMA_VERSION } from './schema.ts'

/** An advisory lock: any number that no other program is likely to use. */
const MIGRATION_LOCK = 7_268_202_630

/** Throws for an invalid name. */
export function quoteSchema(schema: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return `"${schema}"`
  throw new ArgotError('STORE_BAD_URL', "A schema's name may have up to 63 lowercase letters, digits and `_`.")
}

/**
 * Brings the schema to this Argot's version, and creates it if it doesn't exist. Any number of processes may do this at
 * the same time. Throws `STORE_SCHEMA_NEWER` for a schema of a later version.
 */
export async function migrateSchema(pool: PostgresPool, s: string): Promise<void> {
  const version = await readVersion(pool, s)
  if (version === SCHEMA_VERSION) return
  if (version > SCHEMA_VERSION) throw schemaNewer(version)
  await useClient(pool, async client => {
    await client.query({ text: 'begin' })
    await client.query({ text: 'select pg_advisory_xact_lock($1)', values: [MIGRATION_LOCK] })
    await upgrade(client, s)
    await client.query({ text: 'commit' })
  })
}

async function upgrade(client: PostgresClient, s: string): Promise<void> {
  const version = await readVersion(client, s)
  if (version > SCHEMA_VERSION) throw schemaNewer(version)
  if (version === 0) await client.query({ text: `create schema if not exists ${s}` })
  for (const migration of migrations.slice(version)) await client.query({ text: migration(s) })
  await client.query({ text: `update ${s}.meta set version = $1`, values: [SCHEMA_VERSION] })
}

/** 0 without a schema. */
async function readVersion(pool: Pick<PostgresPool, 'query'>, s: string): Promise<number> {
  // Not with `to_regclass`, which may answer from before the lock was taken.
  const text = `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relname = 'meta' and '"' || n.nspname || '"' = $1`
  const tables = await pool.query({ text, values: [s] })
  if (tables.rows.length === 0) return 0
  const { rows } = await pool.query({ text: `select version from ${s}.meta` })
  return rows[0]?.version ?? 0
}

function schemaNewer(version: number): ArgotError {
  const message = `The database has version ${version} of Argot's tables, but this Argot only supports version ${SCHEMA_VERSION}. Update Argot.`
  return new ArgotError('STORE_SCHEMA_NEWER', message)
}

/** A fingerprint that doesn't reveal the key. */
export function keyPrint(key: Uint8Array): string {
  return createHmac('sha256', key).update('argot database').digest('base64url')
}

/**
 * All processes on a database sign with one key: otherwise they wouldn't trust each other's lines. The first process
 * stores a fingerprint of its key. Throws `STORE_OTHER_KEY` if this key differs.
 */
export async function checkKey(pool: PostgresPool, s: string, key: Uint8Array): Promise<void> {
  const print = keyPrint(key)
  const text = `update ${s}.meta set key_print = coalesce(key_print, $1) returning key_print`
  const { rows } = await pool.query({ text, values: [print] })
  if (rows[0]?.key_print === print) return
  const message =
    'The other processes on this database sign with another key. Give all of them the same `ARGOT_STATE_KEY`.'
  throw new ArgotError('STORE_OTHER_KEY', message)
}
