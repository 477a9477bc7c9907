import { existsSync, readdirSync } from 'node:fs'
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defineTool, folderStore, type Store } from '@argot/agent'
import type { RunResource } from '@argot/server'
import type { DocumentEntry } from '@argot/server/api'
import { expect, test } from 'vitest'
import { call, finish } from '../../agent/test/scripted-model.ts'
import { type ServedFolder, serveFolder } from './served-folder.ts'

const prompt = '<user>\nHello.\n</user>\n'
const asking = `<tool name="write"/>\n\n${prompt}`
const write = defineTool({
  name: 'write',
  description: 'Writes.',
  effect: 'write',
  inputSchema: { type: 'object' },
  execute: async () => 'written',
})
const asks = [...call('1', 'write', { text: 'x' }), finish('tool-calls')]

test('a document gets another name and folder with its runs, and the call that waits can be answered there', async () => {
  const { ask, get, post, until, read, folder } = await serveFolder([asks, 'Written.'], {
    files: { 'a.chatmd': asking },
    tools: [write],
  })
  const run = await post('/api/runs', { document: 'a.chatmd' })
  await until(run.id, 'waiting')
  const before = await read('a.chatmd')
  const moved = await ask('POST', '/api/documents/a.chatmd/rename', { to: 'notes/plan b.chatmd' })
  expect([moved.status, await moved.json()]).toEqual([200, { path: 'notes/plan b.chatmd' }])
  expect((await read('notes/plan b.chatmd')).startsWith(before)).toBe(true)
  expect((await ask('GET', '/api/documents/a.chatmd')).status).toBe(404)
  expect(await get<DocumentEntry[]>('/api/documents')).toMatchObject([{ path: 'notes/plan b.chatmd', run: run.id }])
  const waiting = await until(run.id, 'waiting')
  expect(waiting.document).toBe('notes/plan b.chatmd')
  const [{ approvalId, inputHash }] = waiting.pending as [RunResource['pending'][number]]
  await post(`/api/runs/${run.id}/approvals`, { answers: [{ approvalId, inputHash, approved: true }] })
  await until(run.id, 'done')
  expect(await read('notes/plan b.chatmd')).toContain('Written.')
  expect(await get('/api/trash')).toEqual([])
  expect(existsSync(join(folder, 'a.chatmd'))).toBe(false)
})

/** Every way to read a run: its path, and what its client says about itself. */
const streams = (run: string): [path: string, chunks: string][] => [
  [`/api/runs/${run}/stream`, '1'],
  [`/api/runs/${run}/stream`, 'append-only'],
  [`/api/runs/${run}/stream`, 'none'],
  [`/api/runs/${run}/log?offset=-1&live=sse`, 'none'],
  [`/api/events?runs=${run}@0`, 'none'],
]

/** Opens every stream of a run that waits, and returns once each has its question. They give their texts at their end. */
async function openStreams({ ask }: ServedFolder, run: string): Promise<Promise<string>[]> {
  const texts: string[] = []
  const read = async ([path, chunks]: [string, string], index: number): Promise<string> => {
    const { body } = await ask('GET', path, undefined, { 'x-argot-chunks': chunks })
    texts[index] = ''
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>)
      texts[index] += Buffer.from(bytes).toString()
    return texts[index]!
  }
  const readers = streams(run).map(read)
  await expect.poll(() => texts.filter(text => text.includes('"tool-approval-request"')).length).toBe(readers.length)
  return readers
}

test('every stream of a run that waits goes on after renames, and says the end only at the end', async () => {
  const served = await serveFolder([asks, 'Written.'], { files: { 'a.chatmd': asking }, tools: [write] })
  const { ask, post, until, server } = served
  const run = await post('/api/runs', { document: 'a.chatmd' })
  const { pending } = await until(run.id, 'waiting')
  const readers = await openStreams(served, run.id)
  expect((await ask('POST', '/api/documents/a.chatmd/rename', { to: 'n/b.chatmd' })).status).toBe(200)
  expect((await ask('POST', '/api/documents/n/b.chatmd/rename', { to: 'c.chatmd' })).status).toBe(200)
  const { approvalId, inputHash } = pending[0]!
  await post(`/api/runs/${run.id}/approvals`, { answers: [{ approvalId, inputHash, approved: true }] })
  await until(run.id, 'done')
  const texts = await Promise.all(readers.slice(0, 4))
  for (const [index, [path, chunks]] of streams(run.id).slice(0, 4).entries()) {
    const later = await ask('GET', path, undefined, { 'x-argot-chunks': chunks })
    const dataLines = (text: string): string[] =>
      text.split('\n').filter(line => /^(?:id|data: \{"type|data: \[)/.test(line))
    if (index < 3) expect(dataLines(texts[index]!)).toEqual(dataLines(await later.text()))
    expect(texts[index]).toMatch(index < 3 ? /Written\..*\[DONE\]\s*$/s : /Written\..*"streamClosed":true/s)
  }
  // The events of a browser have no end of their own.
  await server.close()
  expect(await readers[4]).toContain('Written.')
})

/** The newest event about each run and document, as a page has them after each event. */
async function followEvents(
  { ask }: ServedFolder,
  onEvent: (event: RunResource | DocumentEntry) => void = () => {},
): Promise<Map<string, RunResource | DocumentEntry>> {
  const newest = new Map<string, RunResource | DocumentEntry>()
  const { body } = await ask('GET', '/api/events')
  const read = async (): Promise<void> => {
    let text = ''
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(bytes).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data !== undefined && data !== '{}') {
          const value = JSON.parse(data) as RunResource | DocumentEntry
          newest.set('path' in value ? value.path : value.id, value)
          onEvent(value)
        }
      }
    }
  }
  void read()
  return newest
}

/** A folder whose watcher notices nothing, as one can that misses a file in a folder that is just made. */
const blind = (store: Store): Store => ({
  ...store,
  documents: Object.assign(Object.create(store.documents) as Store['documents'], {
    async *watch(signal: AbortSignal): AsyncGenerator<string> {
      await new Promise(resolve => signal.addEventListener('abort', resolve))
    },
  }),
})

test('who follows the events learns the new path of a run, even if the watcher of the folder misses it', async () => {
  const served = await serveFolder([asks, 'Written.'], { files: { 'a.chatmd': asking }, tools: [write], over: blind })
  const { ask, post, until } = served
  const newest = await followEvents(served)
  const run = await post('/api/runs', { document: 'a.chatmd' })
  const { pending } = await until(run.id, 'waiting')
  const rename = async (from: string, to: string, state: string): Promise<void> => {
    expect((await ask('POST', `/api/documents/${from}.chatmd/rename`, { to: `${to}.chatmd` })).status).toBe(200)
    await expect.poll(() => newest.get(run.id)).toMatchObject({ document: `${to}.chatmd`, state })
    await expect.poll(() => newest.get(`${from}.chatmd`)).toMatchObject({ state: 'gone' })
    await expect.poll(() => newest.get(`${to}.chatmd`)).toMatchObject({ state: state === 'done' ? 'idle' : state })
  }
  await rename('a', 'n/b', 'waiting')
  await rename('n/b', 'c', 'waiting')
  await rename('c', 'm/deep/d', 'waiting')
  const { approvalId, inputHash } = pending[0]!
  await post(`/api/runs/${run.id}/approvals`, { answers: [{ approvalId, inputHash, approved: true }] })
  await until(run.id, 'done')
  await rename('m/deep/d', 'a', 'done')
})

test('who follows the events learns that a run no longer waits once its document is removed', async () => {
  const served = await serveFolder([asks], { files: { 'a.chatmd': asking }, tools: [write], over: blind })
  const newest = await followEvents(served)
  const run = await served.post('/api/runs', { document: 'a.chatmd' })
  await served.until(run.id, 'waiting')
  expect((await served.ask('DELETE', '/api/documents/a.chatmd')).status).toBe(200)
  await expect.poll(() => newest.get('a.chatmd')).toMatchObject({ state: 'gone' })
  await expect.poll(() => newest.get(run.id)).toMatchObject({ state: 'stopped' })
})

test('a run that waits is described so at every moment of a rename, also to those who only follow the events', async () => {
  const served = await serveFolder([asks], { files: { 'a.chatmd': asking }, tools: [write] })
  const { ask, post, until } = served
  const run = await post('/api/runs', { document: 'a.chatmd' })
  await until(run.id, 'waiting')
  const seen: (RunResource | DocumentEntry)[] = []
  await followEvents(served, event => seen.push(event))
  let isOver = false
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const answer = await ask('GET', `/api/runs/${run.id}`)
      expect(answer.status).toBe(200)
      seen.push((await answer.json()) as RunResource)
      const { runs } = (await (await ask('GET', '/api/runs')).json()) as { runs: RunResource[] }
      seen.push(...runs)
    }
  }
  const watchers = [watch(), watch(), watch()]
  for (let name = 0; name < 30; name++) {
    const from = name === 0 ? 'a' : `${name % 3}/${name}`
    const to = `${(name + 1) % 3}/${name + 1}.chatmd`
    expect((await ask('POST', `/api/documents/${from}.chatmd/rename`, { to })).status).toBe(200)
  }
  isOver = true
  await Promise.all(watchers)
  const states = seen.filter(one => 'id' in one).map(({ state, document }) => [state, typeof document])
  expect(states.filter(([state, type]) => state !== 'waiting' || type !== 'string')).toEqual([])
  expect(states.length).toBeGreaterThan(30)
})

test('an answer that is accepted while its document is renamed is applied', async () => {
  for (let round = 0; round < 40; round++) {
    const { ask, post, until } = await serveFolder([asks, 'Written.'], {
      files: { 'a.chatmd': asking },
      tools: [write],
    })
    const run = await post('/api/runs', { document: 'a.chatmd' })
    const { approvalId, inputHash } = (await until(run.id, 'waiting')).pending[0]!
    const rename = ask('POST', '/api/documents/a.chatmd/rename', { to: 'n/b.chatmd' })
    // From before its first step until after its last.
    for (let turn = 0; turn < round; turn++) await new Promise(resolve => setImmediate(resolve))
    const answers = [{ approvalId, inputHash, approved: true }]
    const { results } = await post<{ results: { status: number }[] }>(`/api/runs/${run.id}/approvals`, { answers })
    expect([round, results[0]!.status]).toEqual([round, 200])
    const moved = (await rename).status
    expect([200, 409]).toContain(moved)
    expect((await until(run.id, 'done')).document).toBe(moved === 200 ? 'n/b.chatmd' : 'a.chatmd')
  }
})

test('a run whose server was killed after a rename, before its job was finished, takes its answer at the new path', async () => {
  const served = await serveFolder([asks], { files: { 'a.chatmd': asking }, tools: [write] })
  const run = await served.post('/api/runs', { document: 'a.chatmd' })
  const { approvalId, inputHash } = (await served.until(run.id, 'waiting')).pending[0]!
  await served.server.close()
  const store = folderStore(served.folder, { key: Buffer.alloc(32, 7) })
  const lease = await store.leases.take('a.chatmd')
  await store.documents.rename('a.chatmd', 'n/b.chatmd', lease)
  await lease.release()
  const { post, until, read } = await served.restart(['Written.'])
  await until(run.id, 'waiting')
  const answers = [{ approvalId, inputHash, approved: true }]
  const { results } = await post<{ results: { status: number }[] }>(`/api/runs/${run.id}/approvals`, { answers })
  expect(results[0]!.status).toBe(200)
  expect((await until(run.id, 'done')).document).toBe('n/b.chatmd')
  expect(await read('n/b.chatmd')).toContain('Written.')
})

test('a run that waits is stopped while its document is held, for example for a new title', async () => {
  let store: Store
  const over = (one: Store): Store => {
    store = one
    return one
  }
  const { get, post, until } = await serveFolder([asks], { files: { 'a.chatmd': asking }, tools: [write], over })
  const run = await post('/api/runs', { document: 'a.chatmd' })
  await until(run.id, 'waiting')
  await expect.poll(async () => (await get<DocumentEntry[]>('/api/documents'))[0]?.state).toBe('waiting')
  await expect.poll(() => store.leases.holder('a.chatmd')).toBeUndefined()
  const lease = await store!.leases.take('a.chatmd')
  await post(`/api/runs/${run.id}/stop`, {})
  await lease.release()
  await until(run.id, 'stopped')
})

test('streams of a run that is removed with its document end like a lost connection', async () => {
  const served = await serveFolder([asks], { files: { 'a.chatmd': asking }, tools: [write] })
  const run = await served.post('/api/runs', { document: 'a.chatmd' })
  await served.until(run.id, 'waiting')
  const readers = await openStreams(served, run.id)
  expect((await served.ask('DELETE', '/api/documents/a.chatmd')).status).toBe(200)
  for (const text of await Promise.all(readers)) expect(text).not.toMatch(/\[DONE\]|"streamClosed"|"abort"/)
})

test('a rename is refused while a run works, onto another document, and out of the folder', async () => {
  let go = (): void => {}
  const held = new Promise<void>(resolve => {
    go = resolve
  })
  const { ask, post, until, read, folder } = await serveFolder(['Fine.'], {
    files: { 'a.chatmd': prompt, 'b.chatmd': 'other' },
    before: { before: () => held },
  })
  await symlink(dirname(folder), join(folder, 'out'))
  const rename = async (to: string): Promise<number> =>
    (await ask('POST', '/api/documents/a.chatmd/rename', { to })).status
  const run = await post('/api/runs', { document: 'a.chatmd' })
  await until(run.id, 'running')
  expect(await rename('c.chatmd')).toBe(409)
  go()
  await until(run.id, 'done')
  expect(await rename('b.chatmd')).toBe(409)
  for (const to of [
    '../a.chatmd',
    '/a.chatmd',
    '.hidden/a.chatmd',
    'out/a.chatmd',
    'a.txt',
    'x/../a.chatmd',
    'a\nb.chatmd',
  ]) {
    expect([to, await rename(to)]).toEqual([to, 400])
  }
  expect(await read('b.chatmd')).toBe('other')
  expect(readdirSync(dirname(folder)).filter(name => name.endsWith('.chatmd'))).toEqual([])
  expect((await ask('POST', '/api/documents/missing.chatmd/rename', { to: 'c.chatmd' })).status).toBe(404)
  expect(await rename('c.chatmd')).toBe(200)
})

test('a copy has a free name, and the original stays as it is', async () => {
  const { ask, read, get, folder } = await serveFolder([], { files: { 'n/a.chatmd': prompt } })
  const copy = async (path: string, body: unknown = {}): Promise<unknown> =>
    (await ask('POST', `/api/documents/${path}/copy`, body)).json()
  expect(await copy('n/a.chatmd')).toEqual({ path: 'n/a copy.chatmd' })
  expect(await copy('n/a%20copy.chatmd')).toEqual({ path: 'n/a copy 2.chatmd' })
  expect(await copy('n/a.chatmd', { to: 'm/b.chatmd' })).toEqual({ path: 'm/b.chatmd' })
  expect(await copy('n/a.chatmd', { to: 'm/b.chatmd' })).toMatchObject({ code: 'RUN_OUTPUT_EXISTS' })
  expect(await copy('n/a.chatmd', { to: '../b.chatmd' })).toMatchObject({ code: 'SERVER_BAD_PATH' })
  for (const path of ['n/a.chatmd', 'n/a copy.chatmd', 'm/b.chatmd']) expect(await read(path)).toBe(prompt)
  expect(await get<DocumentEntry[]>('/api/documents')).toHaveLength(4)
  expect(existsSync(join(dirname(folder), 'b.chatmd'))).toBe(false)
})

test('a title of your own stays when the document changes and moves, and can be taken back', async () => {
  const { ask, get, read } = await serveFolder([], { files: { 'a.chatmd': prompt } })
  const title = async (text: string, path = 'a.chatmd'): Promise<unknown> =>
    (await ask('PUT', `/api/documents/${path}/title`, { title: text }, { 'content-type': 'application/json' })).json()
  const titles = async (): Promise<string[]> => (await get<DocumentEntry[]>('/api/documents')).map(one => one.title)
  const put = (method: string, path: string, body: object): Promise<Response> => ask(method, path, body)
  expect(await title('  Invoices\u001b[31m ')).toMatchObject({ path: 'a.chatmd', title: 'Invoices [31m' })
  expect(await read('a.chatmd')).toBe(prompt)
  await ask('PUT', '/api/documents/a.chatmd', '<user>\nOther.\n</user>\n', { 'if-match': '*' })
  expect(await titles()).toEqual(['Invoices [31m'])
  await put('POST', '/api/documents/a.chatmd/rename', { to: 'b.chatmd' })
  expect(await titles()).toEqual(['Invoices [31m'])
  expect(await title('', 'b.chatmd')).toMatchObject({ title: 'Other.' })
})

test('branches follow their document to its new name', async () => {
  const { ask, get } = await serveFolder([], { files: { 'n/a.chatmd': `${prompt}\n${prompt}` } })
  expect((await ask('POST', '/api/documents/n/a.chatmd/branch', { at: '2' })).status).toBe(201)
  const origins = async (): Promise<unknown> =>
    (await get<DocumentEntry[]>('/api/documents')).map(({ path, branchOf }) => [path, branchOf])
  expect(await origins()).toEqual([
    ['n/a.1.chatmd', 'n/a.chatmd'],
    ['n/a.chatmd', undefined],
  ])
  await ask('POST', '/api/documents/n/a.chatmd/rename', { to: 'n/trip.chatmd' })
  expect(await origins()).toEqual([
    ['n/a.1.chatmd', 'n/trip.chatmd'],
    ['n/trip.chatmd', undefined],
  ])
})

test('the list comes in pages, newest first, and those with an open run come at once', async () => {
  const { ask, get, post, until, folder } = await serveFolder([asks], {
    files: { 'old.chatmd': asking },
    tools: [write],
  })
  const run = await post('/api/runs', { document: 'old.chatmd' })
  await until(run.id, 'waiting')
  // Its process lets go of it.
  await expect.poll(async () => (await get<DocumentEntry[]>('/api/documents'))[0]?.state).toBe('waiting')
  await utimes(join(folder, 'old.chatmd'), 1, 1)
  await mkdir(join(folder, 'n'))
  for (let index = 0; index < 25; index++) {
    const file = join(folder, 'n', `${String(index).padStart(2, '0')}.chatmd`)
    await writeFile(file, `<user>\nPlan ${index}\n</user>\n`)
    // Some have the same time.
    await utimes(file, 1000 + (index >> 1), 1000 + (index >> 1))
  }
  const paths: string[] = []
  let after: string | null = null
  const sizes: number[] = []
  do {
    const page: Response = await ask('GET', `/api/documents?limit=10${after === null ? '' : `&after=${after}`}`)
    expect(page.headers.get('x-argot-total')).toBe('26')
    const entries = (await page.json()) as DocumentEntry[]
    sizes.push(entries.length)
    paths.push(...entries.map(({ path }) => path))
    after = page.headers.get('x-argot-next')
  } while (after !== null)
  expect(sizes).toEqual([11, 10, 6])
  expect(paths[10]).toBe('old.chatmd')
  expect(new Set(paths).size).toBe(26)
  expect(paths[0]).toBe('n/24.chatmd')
  expect((await ask('GET', '/api/documents?limit=10&after=%00')).status).toBe(200)
  expect((await ask('GET', '/api/documents?limit=0')).status).toBe(400)
})

test('a draft of a document that is not there is checked, and nothing is made', async () => {
  const { server, folder } = await serveFolder([])
  const check = async (path: string): Promise<Response> =>
    server.fetch(
      new Request(`http://127.0.0.1:4176/api/documents/${path}/check`, {
        method: 'POST',
        body: '<tool name="no_such"/>\n',
      }),
    )
  const answer = (await (await check('new/a.chatmd')).json()) as { diagnostics: unknown[] }
  expect(answer.diagnostics).toHaveLength(1)
  expect((await check('..%2Fa.chatmd')).status).toBe(400)
  expect(readdirSync(folder)).toEqual([])
})
