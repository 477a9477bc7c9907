import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createServer, listen } from '@argot/server'
import { speakingModel } from '../speaking-model.ts'
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

async function* speak(): AsyncGenerator<string> {
  await begun
  yield* paced(load)
}

const server = createServer({
  store: folderStore(docs, { key: Buffer.alloc(32, 7) }),
  stateFolder: join(folder, 'state'),
  limits: { runsAtOnce: load.runs, streamsPerClient: load.readers * 2, readersPerRun: load.readers },
  run: { model: speakingModel(speak), env: {}, cwd: docs, configFolder: join(folder, 'config') },
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
