/** What is wrong with the log of one run is a matter of that run alone. */
import { appendFile, chmod, mkdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ServedFolder, serveFolder } from '../served-folder.ts'

const text = '<user>\nHello.\n</user>\n'
const hole = 600 * 1024 * 1024

async function serveTwo(): Promise<{ served: ServedFolder; run: string; log: string }> {
  const served = await serveFolder(['One.', 'Two.', 'Three.', 'Four.', 'Five.'], {
    files: { 'a.chatmd': text, 'b.chatmd': text },
  })
  const { id: run } = await served.post('/api/runs', { document: 'a.chatmd' })
  await served.until(run, 'done')
  const { id: other } = await served.post('/api/runs', { document: 'b.chatmd' })
  await served.until(other, 'done')
  return { served, run, log: join(served.folder, '.chatmd/runs/a.chatmd', `${run}.jsonl`) }
}

/** Both documents are listed, read and run, and so are both runs. */
async function expectUsable({ ask, post, until, read }: ServedFolder, run: string): Promise<void> {
  for (const path of [
    '/api/documents',
    '/api/runs',
    '/api/runs?state=open',
    `/api/runs/${run}`,
    '/api/documents/a.chatmd/messages',
  ])
    expect((await ask('GET', path)).status, path).toBe(200)
  const { runs } = (await (await ask('GET', '/api/runs')).json()) as { runs: { id: string }[] }
  expect(runs.map(({ id }) => id)).toContain(run)
  for (const document of ['a.chatmd', 'b.chatmd']) {
    const { id } = await post('/api/runs', { document, input: 'More.' })
    await until(id, 'done')
    expect(await read(document)).toContain('More.')
  }
}

test('a log of 600 MB with its end is read in pieces', async () => {
  const { served, run, log } = await serveTwo()
  const end = (await served.get<{ offset: number }>(`/api/runs/${run}`)).offset
  await truncate(log, hole)
  await appendFile(log, `\n{"o":${end},"t":1,"chunk":{"type":"data-argot-written","data":{},"transient":true}}\n`)
  const next = await served.restart(['Three.', 'Four.', 'Five.'])
  await expectUsable(next, run)
  expect(await next.get(`/api/runs/${run}`)).toMatchObject({ state: 'done', offset: end + 1 })
  expect((await next.ask('GET', `/api/runs/${run}/log?offset=-1`)).status).toBe(200)
  expect((await next.ask('GET', `/api/runs/${run}/calls/nope/output`)).status).toBe(404)
})

test('a log that ends in 600 MB that are no line is repaired by the next run', async () => {
  const { served, run, log } = await serveTwo()
  await truncate(log, hole)
  const next = await served.restart(['Three.', 'Four.', 'Five.'])
  await expectUsable(next, run)
})

test.skipIf(process.getuid?.() === 0)('a log that may not be read is listed with a problem', async () => {
  const { served, run, log } = await serveTwo()
  await chmod(log, 0)
  const next = await served.restart(['Three.', 'Four.', 'Five.'])
  await expectUsable(next, run)
  expect(await next.get(`/api/runs/${run}`)).toMatchObject({ state: 'failed', code: 'SERVER_RUN_UNREADABLE' })
})

test('a run that cannot be read is listed with a problem, whatever the store says of it', async () => {
  const broken = { run: '' }
  const served = await serveFolder(['One.', 'Two.', 'Three.', 'Four.'], {
    files: { 'a.chatmd': text, 'b.chatmd': text },
    over: store => ({
      ...store,
      logs: {
        ...store.logs,
        async *watch(run, from, signal) {
          if (run === broken.run)
            throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
          yield* store.logs.watch(run, from, signal)
        },
      },
    }),
  })
  const { id } = await served.post('/api/runs', { document: 'a.chatmd' })
  await served.until(id, 'done')
  broken.run = id
  const next = await served.restart(['Two.', 'Three.', 'Four.'])
  await expectUsable(next, id)
  const run = await next.get(`/api/runs/${id}`)
  expect(run).toMatchObject({ state: 'failed', code: 'SERVER_RUN_UNREADABLE', error: expect.stringContaining('EIO') })
  expect(JSON.stringify(run)).not.toContain(served.folder)
})

test('a folder of runs that is none takes nothing from the others', async () => {
  const { served, log } = await serveTwo()
  await rm(join(log, '..'), { recursive: true })
  await appendFile(join(log, '..'), 'not a folder')
  await mkdir(join(served.folder, '.chatmd/runs/b.chatmd/folder.jsonl'))
  const next = await served.restart([])
  expect((await next.ask('GET', '/api/documents')).status).toBe(200)
  const { runs } = await next.get<{ runs: { document: string }[] }>('/api/runs')
  expect(runs.map(({ document }) => document)).toEqual(['b.chatmd'])
})
