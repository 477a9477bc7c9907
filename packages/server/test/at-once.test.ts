import { join } from 'node:path'
import { defineTool, folderStore } from '@argot/agent'
import { expect, onTestFinished, test } from 'vitest'
import { call, finish } from '../../agent/test/scripted-model.ts'
import { JournalQueue } from '../src/runs/queue/journal-queue.ts'
import { gate } from './clients/gate.ts'
import { readEvents, type ServedFolder, type ServeOptions, serveFolder } from './served-folder.ts'

const files = { 'hello.chatmd': '<user>\nHello.\n</user>\n' }

/** A server whose model says nothing until the gate is opened. */
async function silentServer(limits: ServeOptions['limits'] = {}): Promise<ServedFolder & { open: () => void }> {
  const { open, wait } = gate()
  const served = await serveFolder([() => 'Hi.'], {
    files,
    limits,
    before: { before: part => (part.type === 'text-delta' ? wait() : undefined) },
  })
  return { ...served, open }
}

async function sendAtOnce(
  { ask }: ServedFolder,
  count: number,
  body: object,
): Promise<{ status: number; id: string }[]> {
  const sends = Array.from({ length: count }, () => ask('POST', '/api/runs', { document: 'hello.chatmd', ...body }))
  const answers = await Promise.all(sends)
  return Promise.all(
    answers.map(async answer => ({ status: answer.status, id: ((await answer.json()) as { id: string }).id })),
  )
}

function statuses(answers: readonly { status: number }[]): number[] {
  return answers.map(({ status }) => status).sort()
}

test('of sends at once that want no queue one runs, and the others are refused', async () => {
  const served = await silentServer()
  expect(statuses(await sendAtOnce(served, 4, { input: 'x', mode: 'reject' }))).toEqual([201, 409, 409, 409])
  served.open()
})

test('sends at once are all answered while the first one runs, and no more wait than may', async () => {
  const served = await silentServer({ queueLength: 2 })
  const answers = await sendAtOnce(served, 5, { input: 'x' })
  expect(statuses(answers)).toEqual([201, 201, 201, 429, 429])
  served.open()
  for (const { status, id } of answers) if (status === 201) await served.until(id, 'done')
})

test('sends at once to many documents are no more than may wait in all', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `${index}.chatmd`)
  const { open, wait } = gate()
  const { ask, until } = await serveFolder([() => 'Hi.'], {
    files: Object.fromEntries(names.map(name => [name, '<user>\nHello.\n</user>\n'])),
    limits: { runsAtOnce: 1, queuedRuns: 2 },
    before: { before: part => (part.type === 'text-delta' ? wait() : undefined) },
  })
  const answers = await Promise.all(names.map(document => ask('POST', '/api/runs', { document })))
  expect(statuses(answers)).toEqual([201, 201, 201, 429, 429, 429])
  open()
  for (const answer of answers) {
    if (answer.status === 201) await until(((await answer.json()) as { id: string }).id, 'done')
  }
})

test('readers at once are no more than may be, whichever way they read, and who leaves makes room', async () => {
  const served = await silentServer({ readersPerRun: 2 })
  const { id } = await served.post('/api/runs', { document: 'hello.chatmd' })
  const paths = ['stream', 'stream', 'log?offset=-1&live=sse'].map(end => `/api/runs/${id}/${end}`)
  const readers = await Promise.all([...paths, `/api/events?runs=${id}@0`].map(path => served.ask('GET', path)))
  expect(statuses(readers)).toEqual([200, 200, 429, 429])
  for (const { body } of readers) await body!.cancel()
  const again = await served.ask('GET', paths[0]!)
  expect(again.status).toBe(200)
  await again.body!.cancel()
  served.open()
})

test('a send to a document that another process holds is answered at once, and runs when it is free', async () => {
  const served = await serveFolder(['Hi.'], { files })
  const lease = await folderStore(served.folder, { key: Buffer.alloc(32, 7) }).leases.take('hello.chatmd')
  const { id, state } = await served.post('/api/runs', { document: 'hello.chatmd', input: 'x' })
  expect(state).toBe('queued')
  const stopped = await served.post('/api/runs', { document: 'hello.chatmd', input: 'y' })
  await served.post(`/api/runs/${stopped.id}/stop`, {})
  await lease.release()
  await served.until(id, 'done')
  expect((await served.get(`/api/runs/${stopped.id}`)).state).toBe('stopped')
})

test('a large result of an agent inside a call travels cut, too, and its route has all of it', async () => {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    effect: 'read',
    execute: () => 'x'.repeat(300_000),
  })
  const asks = [...call('a1', 'helper', { input: 'Look.' }), finish('tool-calls')]
  const looks = [...call('l1', 'look', {}), finish('tool-calls')]
  const { post, until, ask } = await serveFolder([asks, looks, 'Seen.', 'Done.'], {
    files: {
      'helper.chatmd': '<tool name="look"/>\n',
      'main.chatmd': '<tool name="helper" agent="helper.chatmd" local/>\n\n<user>\nGo.\n</user>\n',
    },
    tools: [look],
    run: { approve: 'all' },
  })
  const { id } = await post('/api/runs', { document: 'main.chatmd' })
  await until(id, 'done')
  const { events } = await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, { 'x-argot-chunks': '1' }))
  const inner = events.map(({ chunk }) => JSON.stringify(chunk)).filter(text => text.includes('xxxx'))
  expect(inner.length).toBeGreaterThan(0)
  for (const text of inner) expect(text.length).toBeLessThan(100_000)
  const output = await ask('GET', `/api/runs/${id}/calls/${encodeURIComponent('c1/c1')}/output`)
  expect([output.status, (await output.text()).length]).toEqual([200, 300_000])
})

test('a message that comes before the next server has looked at what a run asks denies it all the same', async () => {
  const done: string[] = []
  const save = defineTool({
    name: 'save',
    description: 'Saves.',
    inputSchema: { type: 'object' },
    execute: () => {
      done.push('saved')
      return 'Saved.'
    },
  })
  const first = await serveFolder([[...call('c1', 'save', {}), finish('tool-calls')]], {
    files: { 'save.chatmd': '<tool name="save"/>\n\n<user>\nSave it.\n</user>\n' },
    tools: [save],
  })
  const { id } = await first.post('/api/runs', { document: 'save.chatmd' })
  await first.until(id, 'waiting')
  await first.server.close()
  const looks = gate()
  const queue = new JournalQueue(join(first.folder, '../state'))
  const taking = queue.take.bind(queue)
  queue.take = async signal => {
    await looks.wait()
    return taking(signal)
  }
  onTestFinished(() => queue.close())
  const next = await first.restart(['As you like.'], { queue })
  const sent = next.post('/api/runs', { document: 'save.chatmd', input: 'No, sing.' })
  await new Promise(resolve => setTimeout(resolve, 100))
  looks.open()
  await next.until((await sent).id, 'done')
  expect((await next.get(`/api/runs/${id}`)).pending).toEqual([])
  expect(await next.read('save.chatmd')).toContain('output-denied')
  expect(done).toEqual([])
})

test('a message that comes while a call asks and another one works denies what is asked, and is answered', async () => {
  const works = gate()
  const done: string[] = []
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    effect: 'read',
    execute: () => works.wait().then(() => 'Seen.'),
  })
  const save = defineTool({
    name: 'save',
    description: 'Saves.',
    inputSchema: { type: 'object' },
    execute: () => {
      done.push('saved')
      return 'Saved.'
    },
  })
  const both = [...call('c1', 'look', {}), ...call('c2', 'save', {}), finish('tool-calls')]
  const { post, ask, get, until, model, read } = await serveFolder([both, 'Not saved.', 'A song.'], {
    files: { 'save.chatmd': '<tool name="look"/>\n<tool name="save"/>\n\n<user>\nSave it.\n</user>\n' },
    tools: [look, save],
  })
  const { id } = await post('/api/runs', { document: 'save.chatmd' })
  await works.reached
  let run = await until(id, 'running')
  while (run.pending.length === 0) run = await until(id, 'running')
  expect(run.state).toBe('running')
  const refused = await ask('POST', '/api/runs', { document: 'save.chatmd', input: 'No.', mode: 'reject' })
  expect(refused.status).toBe(409)
  const sent = await post('/api/runs', { document: 'save.chatmd', input: 'No, sing.' })
  expect(sent.state).toBe('queued')
  const { approvalId, inputHash } = run.pending[0]!
  const late = await post<{ results: unknown[] }>(`/api/runs/${id}/approvals`, {
    answers: [{ approvalId, inputHash, approved: true }],
  })
  expect(late.results).toMatchObject([{ status: 409, answer: { approved: false, reason: 'No, sing.', by: 'local' } }])
  works.open()
  await until(sent.id, 'done')
  expect(await get(`/api/runs/${id}`)).toMatchObject({ state: 'done', pending: [] })
  expect(JSON.stringify(model.asked[1]!.prompt)).toContain('Denied by the user: No, sing.')
  expect(await read('save.chatmd')).toContain('A song.')
  expect(done).toEqual([])
})

test('a message denies what an agent inside a call asks, and is answered after the run', async () => {
  const save = defineTool({
    name: 'save',
    description: 'Saves.',
    inputSchema: { type: 'object' },
    execute: () => 'Saved.',
  })
  const asks = [...call('a1', 'helper', { input: 'Save.' }), finish('tool-calls')]
  const saves = [...call('s1', 'save', {}), finish('tool-calls')]
  const { post, get, until, model } = await serveFolder([asks, saves, 'I may not.', 'Not saved.', 'A song.'], {
    files: {
      'helper.chatmd': '<tool name="save"/>\n',
      'main.chatmd': '<tool name="helper" agent="helper.chatmd" local/>\n\n<user>\nGo.\n</user>\n',
    },
    tools: [save],
    run: { approve: { default: 'ask', helper: 'all' } },
  })
  const { id } = await post('/api/runs', { document: 'main.chatmd' })
  let run = await until(id, 'running')
  while (run.pending.length === 0) run = await until(id, 'running')
  expect(run.pending).toMatchObject([{ toolName: 'save' }])
  const sent = await post('/api/runs', { document: 'main.chatmd', input: 'No, sing.' })
  await until(sent.id, 'done')
  expect((await get(`/api/runs/${id}`)).state).toBe('done')
  expect(JSON.stringify(model.asked[2]!.prompt)).toContain('Denied by the user: No, sing.')
})
