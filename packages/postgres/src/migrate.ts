import { openDatabase, type PostgresOptions } from './database/database.ts'
import type { PostgresPool } from './database/pool.ts'

/**
 * Creates or updates the tables, as every store does before its first statement. Call it if the store's own user isn't
 * allowed to create tables. Rejects with `STORE_SCHEMA_NEWER` if a later version of Argot has updated them.
 */
export async function migrate(source: PostgresPool | string, options: PostgresOptions = {}): Promise<void> {
  const database = openDatabase(source, options)
  try {
    await database.ready()
  } finally {
    await database.close()
  }
}
