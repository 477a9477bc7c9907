import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { postgresQueue, postgresStore } from '@argot/postgres'
import { createServer, listen } from '@argot/server'
import { speakingModel } from '../speaking-model.ts'
import { sayTimes } from './clock.ts'

/* A web node, a worker, or a server of a folder, whose model says the time, chunk by chunk. Prints its address or `ready`. */
const { ROLE = 'worker', STORE = '', FOLDER = '' } = process.env

const model = speakingModel(sayTimes)
const docs = join(FOLDER, 'docs')
mkdirSync(docs, { recursive: true })
const limits = { runsAtOnce: 32, queuedRuns: 100_000, streamsPerClient: 10_000, readersPerRun: 10_000 }
const run = { model, env: {}, cwd: docs, configFolder: join(FOLDER, 'config') }
const store = ROLE === 'folder' ? undefined : postgresStore(STORE)
const server =
  store === undefined
    ? createServer({
        store: folderStore(docs, { key: Buffer.alloc(32, 7) }),
        stateFolder: join(FOLDER, 'state'),
        limits,
        run,
      })
    : createServer({
        store,
        queue: postgresQueue(store),
        workers: ROLE === 'worker',
        web: ROLE !== 'worker',
        limits,
        run: { ...run, hasFolder: false },
      })
await store?.ready()
const address = ROLE === 'worker' ? 'ready' : `http://127.0.0.1:${(await listen(server, { port: 0 })).port}`
process.stdout.write(`${address}\n`)
