import { expect, test } from 'vitest'
import { playChaos } from './chaos.ts'

/** `npm run test:scale` plays 1,000 runs; without it there are as many as a busy machine bears in half a minute. */
const runs = Number(process.env.RUNS ?? 50)
const isLong = process.env.RUNS !== undefined

test('workers, web nodes and the database die, and no run, no chunk and no effect is lost or doubled', {
  timeout: isLong ? 36_000_000 : 300_000,
}, async () => {
  const report = await playChaos({
    runs,
    webNodes: 2,
    workers: 3,
    workerEvery: 5,
    webEvery: 20,
    databaseAt: isLong ? [0.2, 0.5, 0.8] : [0.5],
    pauseAt: isLong ? [0.1, 0.35, 0.65, 0.9] : [0.3],
    atOnce: 10,
  })
  const { takeovers, ...counts } = report
  const median = takeovers[takeovers.length >> 1]
  if (isLong)
    process.stderr.write(
      `${JSON.stringify({ ...counts, takeovers: takeovers.length, median, longest: takeovers.at(-1) })}\n`,
    )
  expect(report.workerKills).toBeGreaterThanOrEqual(isLong ? Math.floor(runs / 5) : 8)
  expect(report.webKills).toBeGreaterThanOrEqual(isLong ? Math.floor(runs / 20) : 2)
  expect(report.databaseKills).toBeGreaterThanOrEqual(isLong ? 3 : 1)
})
