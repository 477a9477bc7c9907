import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { folderStore } from '@argot/agent'
import { postgresQueue, postgresStore } from '@argot/postgres'
import { createServer, listen } from '@argot/server'

/* A web node, a worker, or a server of a folder, whose model says the time, chunk by chunk. Prints its address or `ready`. */
const { ROLE = 'worker', STORE = '', FOLDER = '', CHUNKS = '100', PACE = '0' } = process.env

async function* speak(): AsyncGenerator<LanguageModelV3StreamPart> {
  yield { type: 'text-start', id: '0' }
  for (let count = 0; count < Number(CHUNKS); count++) {
    if (PACE !== '0') await pause(Number(PACE))
    yield { type: 'text-delta', id: '0', delta: `${Date.now()} ` }
  }
  yield { type: 'text-end', id: '0' }
  const input = { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined }
  const usage = { inputTokens: input, outputTokens: { total: 1, text: 1, reasoning: undefined } }
  yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }
}

function toStream(parts: AsyncGenerator<LanguageModelV3StreamPart>): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
  })
}

const model: LanguageModelV3 = {
  specificationVersion: 'v3',
  provider: 'bench',
  modelId: 'clock',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('It only streams.')),
  doStream: () => Promise.resolve({ stream: toStream(speak()) }),
}

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
        limits,
        run: { ...run, hasFolder: false },
      })
await store?.ready()
const address = ROLE === 'worker' ? 'ready' : `http://127.0.0.1:${(await listen(server, { port: 0 })).port}`
process.stdout.write(`${address}\n`)
