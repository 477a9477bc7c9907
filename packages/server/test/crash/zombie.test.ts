import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunResource } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from './conversation.ts'
import { answerTo } from './scenario.ts'
import { buildServer, ServerProcess } from './server-process.ts'

test('a server that was stopped, followed by another and woken up writes nothing more, and ends', async () => {
  const program = buildServer()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-server-zombie-')))
  const docs = join(folder, 'docs')
  await mkdir(docs)
  await writeFile(join(docs, 'b.chatmd'), '<user>\nHello.\n</user>\n')
  const start = (pace: string): ServerProcess => {
    const server = new ServerProcess(program, { FOLDER: folder, PACE: pace })
    onTestFinished(async () => {
      server.child.kill('SIGCONT')
      await server.kill()
    })
    return server
  }
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const zombie = start('100')
  const { id } = await post(`${await zombie.url}/api/runs`, { document: 'b.chatmd' })
  const store = openStore(docs)
  for await (const { chunk } of store.logs.follow(id)) if (chunk.type === 'text-delta') break
  zombie.child.kill('SIGSTOP')
  // Whoever takes it for dead removes what it holds, or is on another machine.
  await rm(join(folder, 'state/server.lock'))
  await rm(join(docs, '.chatmd/locks/b.chatmd.lock'))
  const next = start('1')
  const url = await next.url
  await untilDone(url!, id)
  const log = await readFile(join(docs, '.chatmd/runs/b.chatmd', `${id}.jsonl`), 'utf8')
  const text = await readFile(join(docs, 'b.chatmd'), 'utf8')
  // A run is done by its log; that it is over reaches the journal right after.
  const readJournal = (): Promise<string> => readFile(join(folder, 'state/runs.jsonl'), 'utf8')
  await expect.poll(readJournal, { timeout: 60_000 }).toMatch(/"type":"end"/)
  const journal = await readJournal()
  zombie.child.kill('SIGCONT')
  expect(await zombie.exited).toEqual({ code: 3, signal: null })
  expect(zombie.stderr).toContain('Another server has taken over')
  expect(await readFile(join(docs, 'b.chatmd'), 'utf8')).toBe(text)
  expect(await readJournal()).toBe(journal)
  expect(text.split(answerTo('Hello.'))).toHaveLength(2)
  // A line of an older epoch may still reach the file; nobody reads it.
  const after = await store.logs.read(id)
  expect(after?.lines).toHaveLength(linesIn(log, after!.lines.at(-1)!.o))
  const { id: later } = await post(`${url}/api/runs`, { document: 'b.chatmd', input: 'More?' })
  await untilDone(url!, later)
})

/** How many lines that count a log has, up to an offset. */
function linesIn(log: string, last: number): number {
  const lines = log.split('\n').filter(line => line.startsWith('{"o":'))
  const epoch = (line: string): number => Number(/"e":(\d+)/.exec(line)?.[1] ?? 1)
  const resumed = lines.findIndex(line => line.includes('data-argot-resume'))
  const believed = lines.slice(0, resumed).findLastIndex(line => line.includes('"m":"')) + 1
  const own = lines.slice(resumed).filter(line => epoch(line) === 2)
  return believed + own.filter(line => Number(/"o":(\d+)/.exec(line)![1]) <= last).length
}

async function post(url: string, body: unknown): Promise<RunResource> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<RunResource>
}

async function untilDone(url: string, run: string): Promise<void> {
  for (let turn = 0; turn < 3000; turn++) {
    const found = (await (await fetch(`${url}/api/runs/${run}`)).json()) as RunResource
    if (found.state === 'done') return
    expect(['queued', 'running']).toContain(found.state)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  throw new Error(`The run ${run} is not done.`)
}
