import { openDatabase, type PostgresOptions } from './database/database.ts'
import type { PostgresPool } from './database/pool.ts'

/**
 * Makes or updates the tables, as every store does before its first statement. Call it if another user than that of the
 * store may create tables. Rejects with `STORE_SCHEMA_NEWER` if a later Argot has updated them.
 */
export async function migrate(source: PostgresPool | string, options: PostgresOptions = {}): Promise<void> {
  const database = openDatabase(source, options)
  try {
    await database.ready()
  } finally {
    await database.close()
  }
}
