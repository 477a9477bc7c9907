import { existsSync, readdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { defineTool } from '@argot/agent'
import type { RunResource } from '@argot/server'
import { forgetErased } from '@argot/server/internal'
import { expect, test } from 'vitest'
import { call, finish } from '../../agent/test/scripted-model.ts'
import { JournalQueue } from '../src/runs/queue/journal-queue.ts'
import { readEvents, serveFolder } from './served-folder.ts'

const prompt = '<user>\nHello.\n</user>\n'
const asking = `<tool name="write"/>\n\n${prompt}`

const write = defineTool({
  name: 'write',
  description: 'Writes.',
  effect: 'write',
  inputSchema: { type: 'object' },
  execute: async () => 'written',
})
const asks = [...call('1', 'write', { text: 'private words' }), finish('tool-calls')]

interface Trashed {
  path: string
  id: string
  removedAt: string
}

/** Every file below a folder. */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

test('a document that is deleted is in the trash with its runs, and is restored with them', async () => {
  const { ask, get, post, until, read, server } = await serveFolder(['Fine.'], { files: { 'below/a.chatmd': prompt } })
  const run = await post('/api/runs', { document: 'below/a.chatmd' })
  await until(run.id, 'done')
  const before = await read('below/a.chatmd')
  const removed = await ask('DELETE', '/api/documents/below/a.chatmd')
  expect(removed.status).toBe(200)
  const entry = (await removed.json()) as Trashed
  expect(entry).toMatchObject({ path: 'below/a.chatmd' })
  expect((await ask('GET', '/api/documents/below/a.chatmd')).status).toBe(404)
  expect((await ask('DELETE', '/api/documents/below/a.chatmd')).status).toBe(404)
  expect(await get('/api/documents')).toEqual([])
  expect(await get('/api/runs')).toEqual({ runs: [] })
  expect(await get('/api/trash')).toEqual([entry])
  expect((await ask('POST', '/api/documents/below/a.chatmd/restore')).status).toBe(200)
  expect(await read('below/a.chatmd')).toBe(before)
  expect(await get(`/api/runs/${run.id}`)).toMatchObject({ state: 'done', document: 'below/a.chatmd' })
  expect(await get('/api/trash')).toEqual([])
  expect((await ask('POST', '/api/documents/below/a.chatmd/restore')).status).toBe(404)
  expect(server.openapi).toHaveProperty(['paths', '/api/documents/{path}', 'delete'])
})

test('a document is not restored over another, and each of those that had its path can be', async () => {
  const { ask, get, read } = await serveFolder(['Fine.'], { files: { 'a.chatmd': 'first' } })
  await ask('DELETE', '/api/documents/a.chatmd')
  await ask('PUT', '/api/documents/a.chatmd', 'second')
  expect((await ask('POST', '/api/documents/a.chatmd/restore')).status).toBe(409)
  expect(await read('a.chatmd')).toBe('second')
  await ask('DELETE', '/api/documents/a.chatmd')
  const [first] = await get<Trashed[]>('/api/trash')
  expect((await ask('POST', `/api/documents/a.chatmd/restore?id=${first!.id}`)).status).toBe(200)
  expect(await read('a.chatmd')).toBe('first')
})

test('a document that is deleted for ever leaves no word anywhere: not beside it, not in the journal', async () => {
  const { ask, post, until, folder } = await serveFolder([asks, 'private answer'], {
    files: { 'a.chatmd': asking },
    tools: [write],
    run: { approve: 'all' },
  })
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'private question' }] }
  const run = await post('/api/runs', { document: 'a.chatmd', input: message })
  await until(run.id, 'done')
  const all = (): string[] => filesBelow(dirname(folder)).filter(file => !file.includes('/config/'))
  expect(all().filter(file => readFileSync(file, 'utf8').includes('private')).length).toBeGreaterThan(2)
  expect((await ask('DELETE', '/api/documents/a.chatmd?forever')).status).toBe(204)
  expect(all().filter(file => /private|a\.chatmd/.test(`${file} ${readFileSync(file, 'utf8')}`))).toEqual([])
  expect(readdirSync(folder)).toEqual([])
  expect((await ask('GET', `/api/runs/${run.id}`)).status).toBe(404)
  expect((await ask('DELETE', '/api/documents/a.chatmd?forever')).status).toBe(404)
})

test('a branch keeps the payloads that it shares with a document that is deleted for ever', async () => {
  const { ask, get, post, until, folder } = await serveFolder([asks, 'Fine.'], {
    files: { 'a.chatmd': asking },
    tools: [write],
    run: { approve: 'all' },
  })
  await until((await post('/api/runs', { document: 'a.chatmd' })).id, 'done')
  const { messages } = await get<{ messages: { id: string }[] }>('/api/documents/a.chatmd/messages')
  const made = await ask('POST', '/api/documents/a.chatmd/branch', { at: messages.at(-1)!.id, including: true })
  const { path } = (await made.json()) as { path: string }
  const before = await get(`/api/documents/${path}/messages`)
  await ask('DELETE', '/api/documents/a.chatmd?forever')
  expect(await get(`/api/documents/${path}/messages`)).toEqual(before)
  expect(JSON.stringify(before)).toContain('private words')
  await ask('DELETE', `/api/documents/${path}`)
  expect((await ask('DELETE', `/api/documents/${path}?forever`)).status).toBe(204)
  expect(readdirSync(folder)).toEqual([])
})

test('a document that is being run is not deleted; once the run is over, it is', async () => {
  let release = (): void => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  const { ask, post, until, read } = await serveFolder(['Fine.'], {
    files: { 'a.chatmd': prompt },
    before: { before: () => gate },
  })
  const run = await post('/api/runs', { document: 'a.chatmd' })
  for (const address of ['/api/documents/a.chatmd', '/api/documents/a.chatmd?forever']) {
    const refused = await ask('DELETE', address)
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'SERVER_BUSY', run: run.id }])
  }
  expect(await read('a.chatmd')).toContain('Hello.')
  release()
  await until(run.id, 'done')
  expect((await ask('DELETE', '/api/documents/a.chatmd')).status).toBe(200)
})

test('a run that waits goes to the trash with its document, its readers come to an end, and it waits again when it is back', async () => {
  const { ask, get, post, until, read } = await serveFolder([asks, 'Fine.'], {
    files: { 'a.chatmd': asking },
    tools: [write],
    run: { approve: 'ask' },
  })
  const run = await post('/api/runs', { document: 'a.chatmd' })
  const { pending } = await until(run.id, 'waiting')
  const stream = readEvents(await ask('GET', `/api/runs/${run.id}/log?offset=-1&live=sse`))
  expect((await ask('DELETE', '/api/documents/a.chatmd')).status).toBe(200)
  await stream
  expect(await get('/api/runs?state=waiting')).toEqual({ runs: [] })
  await ask('POST', '/api/documents/a.chatmd/restore')
  expect(await get('/api/runs?state=waiting')).toMatchObject({ runs: [{ id: run.id, pending }] })
  const { approvalId, inputHash } = pending[0]!
  await ask('POST', `/api/runs/${run.id}/approvals`, { answers: [{ approvalId, inputHash, approved: true }] })
  await until(run.id, 'done')
  expect(await read('a.chatmd')).toContain('Fine.')
})

test('deletes and sends at once: a document is answered or gone, and no send that was accepted vanishes', async () => {
  const { ask, until } = await serveFolder(['Fine.'], {})
  for (let round = 0; round < 10; round++) {
    const path = `${round}.chatmd`
    await ask('PUT', `/api/documents/${path}`, prompt)
    const [sent, removed] = await Promise.all([
      ask('POST', '/api/runs', { document: path }),
      ask('DELETE', `/api/documents/${path}`),
    ])
    const body = (await sent.json()) as RunResource
    if (removed.status === 409) await until(body.id, 'done')
    else expect([removed.status, sent.status]).toEqual([200, expect.toSatisfy((one: number) => one >= 400)])
  }
})

test('the server removes what is older than its retention time, and nothing else', async () => {
  const served = await serveFolder([asks], {
    files: { 'old.chatmd': asking, 'parked.chatmd': asking, 'gone.chatmd': prompt },
    tools: [write],
    run: { approve: 'ask' },
  })
  const { folder, post, until, ask } = served
  const parked = await post('/api/runs', { document: 'parked.chatmd' })
  await until(parked.id, 'waiting')
  const done = await post('/api/runs', { document: 'old.chatmd' })
  await until(done.id, 'waiting')
  await ask('POST', `/api/runs/${done.id}/stop`, {})
  await until(done.id, 'stopped')
  await ask('DELETE', '/api/documents/gone.chatmd')
  const logs = filesBelow(folder).filter(file => file.includes('/runs/'))
  for (const log of logs) utimesSync(log, 1, 1)
  const texts = await Promise.all(['old.chatmd', 'parked.chatmd'].map(name => served.read(name)))
  const later = () => Date.now() + 48 * 60 * 60 * 1000
  const next = await served.restart(['Fine.'], { retentionMs: 24 * 60 * 60 * 1000, now: later })
  await expect.poll(() => next.get('/api/trash')).toEqual([])
  await expect.poll(() => filesBelow(folder).filter(file => file.includes('/runs/old.chatmd'))).toEqual([])
  expect(await next.get('/api/runs')).toMatchObject({ runs: [{ id: parked.id, state: 'waiting' }] })
  expect(await Promise.all(['old.chatmd', 'parked.chatmd'].map(name => next.read(name)))).toEqual(texts)
})

test('without a retention time nothing is removed', async () => {
  const served = await serveFolder(['Fine.'], { files: { 'a.chatmd': prompt } })
  const run = await served.post('/api/runs', { document: 'a.chatmd' })
  await served.until(run.id, 'done')
  const next = await served.restart(['Fine.'], { now: () => Date.now() + 10 ** 12 })
  expect(await next.get('/api/runs')).toMatchObject({ runs: [{ id: run.id, state: 'done' }] })
})

test('the journal of a server that does not run forgets documents; that of one that runs is left alone', async () => {
  const served = await serveFolder(['Fine.'], { files: { 'a.chatmd': prompt } })
  const run = await served.post('/api/runs', { document: 'a.chatmd' })
  await served.until(run.id, 'done')
  const state = join(dirname(served.folder), 'state')
  const journal = (): Promise<string> => readFile(join(state, 'runs.jsonl'), 'utf8')
  expect(await forgetErased(state, ['a.chatmd'])).toBe(false)
  expect(await journal()).toContain('a.chatmd')
  await served.server.close()
  expect(await forgetErased(state, ['a.chatmd'])).toBe(true)
  expect(await journal()).not.toContain('a.chatmd')
  expect(await forgetErased(join(state, 'nowhere'), ['a.chatmd'])).toBe(true)
})

test('an erased document goes out of the journal also if it had another name when it was run', async () => {
  const { ask, post, until, folder } = await serveFolder(['Fine.'], { files: { 'a.chatmd': '<user>\nHi.\n</user>\n' } })
  const journal = (): Promise<string> => readFile(join(folder, '../state/runs.jsonl'), 'utf8')
  await until((await post('/api/runs', { document: 'a.chatmd', input: 'My secret.' })).id, 'done')
  expect((await ask('POST', '/api/documents/a.chatmd/rename', { to: 'b.chatmd' })).status).toBe(200)
  expect(await journal()).toContain('My secret.')
  expect((await ask('DELETE', '/api/documents/b.chatmd?forever')).status).toBe(204)
  expect(await journal()).not.toMatch(/My secret|chatmd/)
})

test('an erased document goes out of the journal of a server that died before it had noted the end of a run', async () => {
  const state = await mkdtemp(join(tmpdir(), 'argot-state-'))
  const queue = new JournalQueue(state)
  await queue.enqueue({ run: 'r', document: 'a.chatmd', at: 1 })
  await queue.close()
  expect(await forgetErased(state, ['a.chatmd'])).toBe(true)
  expect(await readFile(join(state, 'runs.jsonl'), 'utf8')).not.toContain('a.chatmd')
})

test('a link and what it leads to are one document: deleting either takes it away', async () => {
  const { ask, folder, get } = await serveFolder(['Fine.'], { files: { 'a.chatmd': prompt } })
  symlinkSync('a.chatmd', join(folder, 'link.chatmd'))
  expect(await (await ask('DELETE', '/api/documents/link.chatmd')).json()).toMatchObject({ path: 'a.chatmd' })
  expect(existsSync(join(folder, 'a.chatmd'))).toBe(false)
  expect((await get<Trashed[]>('/api/trash')).length).toBe(1)
})

test('documents of other hands are in the trash as well, and a folder without any is no mistake', async () => {
  const { ask, folder, get } = await serveFolder(['Fine.'], {})
  await mkdir(join(folder, 'x'))
  await writeFile(join(folder, 'x', 'ü 🙂.chatmd'), prompt)
  expect((await ask('DELETE', `/api/documents/x/${encodeURIComponent('ü 🙂.chatmd')}`)).status).toBe(200)
  expect(await get<Trashed[]>('/api/trash')).toMatchObject([{ path: 'x/ü 🙂.chatmd' }])
})
