import { postgresQueue, postgresStore } from '@argot/postgres'
import { createServer, listen } from '@argot/server'
import { scenarioModel, scenarioTools } from '../../../server/test/crash/scenario.ts'

/*
 * A web node or a worker in a process of its own, as `argot serve --store` and `argot worker --store` are, with a scripted
 * model and tools that record what they do in `FOLDER`. Prints its address, or `ready`.
 */
const { FOLDER = '', STORE = '', ROLE = 'worker', PACE = '1', RUNS = '8' } = process.env
const isWeb = ROLE === 'web'
const store = postgresStore(STORE, { key: Buffer.alloc(32, 7), patienceMs: isWeb ? 2000 : 600_000 })
await store.ready()
const server = createServer({
  store,
  queue: postgresQueue(store),
  workers: !isWeb,
  web: isWeb,
  now: store.now,
  notice: text => process.stderr.write(`${text}\n`),
  limits: { streamsPerClient: 10_000, readersPerRun: 100, runsAtOnce: Number(RUNS), queuedRuns: 10_000 },
  run: {
    model: scenarioModel(FOLDER, Number(PACE)),
    tools: scenarioTools(FOLDER),
    approve: { default: 'all', change_asked: 'ask' },
    env: {},
    cwd: FOLDER,
    hasFolder: false,
    now: store.now,
    configFolder: `${FOLDER}/config`,
  },
})
const listening = isWeb ? await listen(server, { port: 0 }) : undefined
if (listening !== undefined) process.stdout.write(`http://127.0.0.1:${listening.port}\n`)
else process.stdout.write('ready\n')
process.on('SIGTERM', () => {
  const closing = server.close()
  void Promise.resolve(listening?.close())
    .then(() => closing)
    .then(() => store.close())
    .then(() => process.exit(0))
})
