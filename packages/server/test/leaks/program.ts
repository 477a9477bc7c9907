import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, listen } from '@argot/server'
import { scriptedModel } from '../../../agent/test/scripted-model.ts'

/*
 * A server on a port, to which clients send `RUNS` messages, each to a document of `SIZE` bytes. Prints the heap in use
 * after a collection: first after the warm-up, then after every fifth of the runs, as one line of JSON.
 */
const { RUNS = '60', WARM = '10', SIZE = '300000' } = process.env

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'argot-leaks-')))
const docs = join(folder, 'docs')
mkdirSync(docs)
const model = scriptedModel(['Fine.'])
const server = createServer({
  store: docs,
  stateFolder: join(folder, 'state'),
  run: { model, env: { ARGOT_STATE_KEY: 'k'.repeat(64) }, cwd: docs, configFolder: join(folder, 'config') },
})
const { port, close } = await listen(server, { port: 0 })
const address = `http://127.0.0.1:${port}/api`

async function heap(): Promise<number> {
  for (let turn = 0; turn < 4; turn++) {
    await new Promise(resolve => setImmediate(resolve))
    globalThis.gc!()
  }
  return process.memoryUsage().heapUsed
}

/** One conversation as a client has it: a document, a send, the stream to its end, a long poll at its end. */
async function converse(index: number): Promise<void> {
  const path = `chat-${index}.chatmd`
  writeFileSync(join(docs, path), `<user>\n${`line ${index} of the document\n`.repeat(Number(SIZE) / 25)}</user>\n`)
  const sent = await fetch(`${address}/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ document: path }),
  })
  const { id } = (await sent.json()) as { id: string }
  const events = await (await fetch(`${address}/runs/${id}/stream`)).text()
  if (!events.includes('"finish"')) throw new Error(`The run ${id} did not finish: ${events.slice(-500)}`)
  for (;;) {
    const run = (await (await fetch(`${address}/runs/${id}`)).json()) as { state: string; error?: string }
    if (run.state === 'done') break
    if (run.state === 'failed') throw new Error(run.error)
  }
  rmSync(join(docs, path))
  model.asked.length = 0
}

const heaps: number[] = []
let index = 0
for (; index < Number(WARM); index++) await converse(index)
heaps.push(await heap())
for (let part = 0; part < 5; part++) {
  for (let count = 0; count < Number(RUNS) / 5; count++) await converse(index++)
  heaps.push(await heap())
}
process.stdout.write(`${JSON.stringify(heaps)}\n`)
await server.close()
await close()
rmSync(folder, { recursive: true, force: true })
