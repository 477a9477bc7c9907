import { migrate, type PostgresPool } from '@argot/postgres'
import { Pool } from 'pg'
import { sharedCluster } from './cluster.ts'

/** Every table that holds something of users. */
const tables = ['job', 'post', 'log', 'sidecar', 'file', 'piece', 'lease', 'run', 'document', 'node']

let pool: Promise<Pool> | undefined
const free: string[] = []
let made = 0

/** The connections of these tests. */
export function testPool(): Promise<Pool> {
  pool ??= sharedCluster().then(url => new Pool({ connectionString: url, max: 40 }))
  return pool
}

/** A schema with nothing in it. Making the tables takes longer than most tests, so they are used again. */
export async function takeSchema(): Promise<{
  schema: string
  pool: PostgresPool
  query: Pool['query']
  giveBack(): Promise<void>
}> {
  const own = await testPool()
  const known = free.pop()
  const schema = known ?? `test_${process.pid}_${++made}`
  if (known === undefined) await migrate(own as unknown as PostgresPool, { schema })
  return {
    schema,
    pool: own as unknown as PostgresPool,
    query: own.query.bind(own) as Pool['query'],
    async giveBack() {
      await own.query(tables.map(table => `delete from ${schema}.${table}`).join(';'))
      await own.query(`update ${schema}.meta set key_print = null`)
      free.push(schema)
    },
  }
}
