import { readFileSync } from 'node:fs'
import { postgresStore } from '@argot/postgres'
import { expect, test } from 'vitest'
import { recordRun } from '../../agent/src/testing/record-run.ts'
import { wholeRun } from '../../agent/src/testing/scripted-chunks.ts'
import { sharedCluster } from './cluster.ts'
import { testPool } from './schemas.ts'

const page = readFileSync(new URL('../../../docs/scale-out.md', import.meta.url), 'utf8')

test('the statements of scale-out.md partition the log and tune autovacuum, and runs go on', async () => {
  const schema = `page_${process.pid}`
  const store = postgresStore(await sharedCluster(), { schema, connections: 3 })
  const pool = await testPool()
  for (const name of ['before', 'december', 'later']) await store.documents.write(`${name}.chatmd`, 'Hello', {})
  await recordRun(store, wholeRun, { path: 'before.chatmd', run: '0mw00000-a' })
  const blocks = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql!.replaceAll('argot.', `${schema}.`))
  expect(blocks.length).toBe(2)
  for (const sql of blocks) await pool.query(sql)
  await recordRun(store, wholeRun, { path: 'december.chatmd', run: '0my000000-b' })
  await recordRun(store, wholeRun, { path: 'later.chatmd', run: '0z0000000-c' })
  const { rows } = await pool.query(
    `select tableoid::regclass::text as part, run from ${schema}.log group by 1, 2 order by run`,
  )
  expect(rows.map(({ part }) => part.split('.').at(-1))).toEqual(['log_before', 'log_2026_12', 'log_later'])
  for (const run of ['0mw00000-a', '0my000000-b', '0z0000000-c']) {
    expect((await store.logs.read(run))!.lines.length).toBeGreaterThan(wholeRun.length)
  }
  await pool.query(`drop table ${schema}.log_before`)
  expect((await store.logs.read('0my000000-b'))!.lines.length).toBeGreaterThan(0)
  await store.close()
})
