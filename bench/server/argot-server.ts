import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { folderStore } from '@argot/agent'
import { createServer, listen } from '@argot/server'
import { paced, readLoad } from './load.ts'

/* The server of Argot under load: its runs are kept on the disk. Tells its address, then its memory when asked. */
const load = readLoad()
const folder = mkdtempSync(join(tmpdir(), 'argot-bench-server-'))
const docs = join(folder, 'docs')
mkdirSync(docs)
for (let run = 0; run < load.runs; run++) writeFileSync(join(docs, `${run}.chatmd`), '<user>\nSpeak.\n</user>\n')

let go = (): void => {}
const begun = new Promise<void>(resolve => {
  go = resolve
})

async function* speak(): AsyncGenerator<LanguageModelV3StreamPart> {
  await begun
  yield { type: 'text-start', id: '0' }
  for await (const delta of paced(load)) yield { type: 'text-delta', id: '0', delta }
  yield { type: 'text-end', id: '0' }
  const tokens = { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined }
  yield {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: tokens, outputTokens: { total: 1, text: 1, reasoning: undefined } },
  }
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
  modelId: 'paced',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('It only streams.')),
  doStream: () => Promise.resolve({ stream: toStream(speak()) }),
}

const server = createServer({
  store: folderStore(docs, { key: Buffer.alloc(32, 7) }),
  stateFolder: join(folder, 'state'),
  limits: { runsAtOnce: load.runs, streamsPerClient: load.readers * 2, readersPerRun: load.readers },
  run: { model, env: {}, cwd: docs, configFolder: join(folder, 'config') },
})
const listening = await listen(server, { port: 0 })
const url = `http://127.0.0.1:${listening.port}`
const paths = await Promise.all(
  Array.from({ length: load.runs }, async (_, run) => {
    const response = await fetch(`${url}/api/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ document: `${run}.chatmd` }),
    })
    return `/api/runs/${((await response.json()) as { id: string }).id}/stream`
  }),
)
async function end(): Promise<void> {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}

process.on('message', message => {
  if (message === 'go') go()
  if (message === 'memory') process.send!({ rss: process.memoryUsage().rss, cpu: process.cpuUsage() })
  if (message === 'end') void end()
})
process.send!({ url, paths })
