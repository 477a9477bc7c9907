import pg from 'pg'
import { table } from '../table.ts'

const isWanted = process.env.PROFILE !== undefined
/** How often it is looked at what connections wait for. */
const SAMPLE_MS = 20

/** Lines of postgresql.conf. */
export const profileSettings: readonly string[] = isWanted
  ? [`shared_preload_libraries = 'pg_stat_statements'`, 'pg_stat_statements.track = top']
  : []

/** With `PROFILE`, prints which statements took the database's time meanwhile, and what connections waited for. */
export async function printProfile<Value>(url: string, title: string, work: () => Promise<Value>): Promise<Value> {
  if (!isWanted) return work()
  const client = new pg.Client(url)
  await client.connect()
  await client.query('create extension if not exists pg_stat_statements')
  await client.query('select pg_stat_statements_reset()')
  const waits = new Map<string, number>()
  let isOver = false
  const sampling = (async () => {
    while (!isOver) {
      const { rows } = await client.query(
        `select coalesce(wait_event_type || ' ' || wait_event, 'CPU') as wait from pg_stat_activity where application_name = 'argot' and state = 'active'`,
      )
      for (const { wait } of rows) waits.set(wait, (waits.get(wait) ?? 0) + 1)
      await new Promise(resolve => setTimeout(resolve, SAMPLE_MS))
    }
  })()
  const value = await work()
  isOver = true
  await sampling
  const { rows } = await client.query(
    `select regexp_replace(left(query, 200), '\\s+', ' ', 'g') as query, calls::float, total_exec_time as ms, mean_exec_time as mean from pg_stat_statements where query not ilike '%pg_stat_%' order by total_exec_time desc limit 8`,
  )
  console.log(`${title}: statements by the time that they took`)
  console.log(
    table(
      ['ms', 'calls', 'mean ms', 'statement'],
      rows.map(row => [row.ms, row.calls, row.mean, row.query.slice(0, 100)]),
    ),
  )
  const all = [...waits.values()].reduce((sum, count) => sum + count, 0)
  const shares = [...waits].sort((a, b) => b[1] - a[1]).slice(0, 6)
  console.log(
    `Active connections: ${shares.map(([wait, count]) => `${wait} ${Math.round((count / all) * 100)} %`).join(', ')}`,
  )
  await client.end()
  return value
}
