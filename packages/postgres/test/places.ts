import type { KillPoint, StorePlace } from '@argot/agent/testing'
import type { PostgresStore } from '@argot/postgres'
import { openDatabase } from '../src/database/database.ts'
import { createStore } from '../src/store/postgres-store.ts'
import { takeSchema } from './schemas.ts'

/** A place in the database, as the suite of stores wants it. */
export async function postgresPlace(documents: Readonly<Record<string, string>>): Promise<StorePlace> {
  const { schema, pool: own, query, giveBack } = await takeSchema()
  const stores: PostgresStore[] = []
  const open = (kill?: KillPoint): PostgresStore => {
    const change = kill === undefined ? undefined : async <Value>(work: () => Promise<Value>) => kill.run(work)
    const store = createStore(openDatabase(own, { schema }), change)
    stores.push(store)
    return store
  }
  const first = open()
  for (const [path, text] of Object.entries(documents)) await first.documents.write(path, text, {})
  let isRemoved = false
  return {
    open,
    /** No node has this number. */
    expire: async path => void (await query(`update ${schema}.lease set node = 0 where path = $1`, [path])),
    fallSilent: async path => void (await query(`update ${schema}.lease set node = 0 where path = $1`, [path])),
    async remove() {
      if (isRemoved) return
      isRemoved = true
      await Promise.all(stores.map(store => store.close()))
      await giveBack()
    },
  }
}
