import { postgresStore } from '@argot/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedCluster } from './cluster.ts'
import { findPgBouncer, PgBouncer } from './pgbouncer.ts'
import { testPool } from './schemas.ts'
import { openServer } from './servers.ts'

/** Debian: apt-get install pgbouncer. */
const isThere = findPgBouncer() !== undefined
let bouncer: PgBouncer
let direct: string

beforeAll(async () => {
  if (!isThere) return
  direct = await sharedCluster()
  bouncer = await PgBouncer.create(Number(new URL(direct).port))
})
afterAll(() => bouncer?.remove())

const document = '<tool name="write_note"/>\n\n<user>\nPlease write_note "Hello"\n</user>\n'

/** Sends a run to one node, answers at another, and reads the end at the first; a third one is the worker. */
async function playRun(options: Parameters<typeof postgresStore>[1]): Promise<string> {
  const stores = Array.from({ length: 3 }, () => postgresStore(bouncer.url, { connections: 5, ...options }))
  const [one, two] = [openServer(stores[0]!, { workers: false }), openServer(stores[1]!, { workers: false })]
  const worker = openServer(stores[2]!)
  try {
    await one.ask('PUT', '/api/documents/chat.chatmd', document)
    const { value: run } = await one.ask('POST', '/api/runs', { document: 'chat.chatmd' })
    const pending = async () => (await two.ask('GET', `/api/runs/${run.id}`)).value.pending[0]
    await expect.poll(pending).toBeDefined()
    const { approvalId, inputHash } = await pending()
    await two.ask('POST', `/api/runs/${run.id}/approvals`, { answers: [{ approvalId, inputHash, approved: true }] })
    return (await one.ask('GET', `/api/runs/${run.id}/stream`)).value
  } finally {
    for (const { server } of [one, two, worker]) await server.close()
    for (const store of stores) await store.close()
  }
}

async function listeners(schema: string): Promise<number> {
  const text = `select count(*)::int as count from pg_locks where locktype = 'advisory' and classid = $1::regclass::oid`
  return (await (await testPool()).query(text, [`${schema}.node`])).rows[0].count
}

test.runIf(isThere)(
  'through PgBouncer in transaction mode runs work with no setting, and no session is relied on',
  async () => {
    const schema = `bounced_${process.pid}`
    const stream = await playRun({ schema })
    expect(stream).toContain('Wrote Hello.')
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
    const { rows } = await (await testPool()).query(
      `select count(*)::int as count from ${schema}.node where has_session`,
    )
    expect([rows[0].count, await listeners(schema)]).toEqual([0, 0])
  },
)

test.runIf(isThere)('with the direct address as `listen` each node has a session, which ends with it', async () => {
  const schema = `direct_${process.pid}`
  const store = postgresStore(bouncer.url, { schema, listen: direct })
  const lease = await store.leases.take('any.chatmd')
  await expect.poll(() => listeners(schema)).toBe(1)
  await lease.release()
  await store.close()
  await expect.poll(() => listeners(schema)).toBe(0)
  expect(await playRun({ schema, listen: direct })).toContain('Wrote Hello.')
})
