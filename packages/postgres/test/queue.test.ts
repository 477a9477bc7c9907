import { type PostgresStore, postgresQueue, postgresStore } from '@argot/postgres'
import { testQueue } from '@argot/server/testing'
import { test } from 'vitest'
import { takeSchema } from './schemas.ts'

testQueue({
  name: 'postgres',
  test,
  async create() {
    const { schema, pool, query, giveBack } = await takeSchema()
    const stores: PostgresStore[] = []
    return {
      async open() {
        // The process before is gone: no node has this number.
        await query(`update ${schema}.job set node = 0 where node is not null`)
        const store = postgresStore(pool, { schema })
        stores.push(store)
        return postgresQueue(store)
      },
      async remove() {
        await Promise.all(stores.map(store => store.close()))
        await giveBack()
      },
    }
  },
})
