import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool } from '@argot/agent'
import { accumulate, toolCalls } from '@argot/core'
import type { RunResource } from '@argot/server'
import { expect, test } from 'vitest'
import { call, finish } from '../../agent/test/scripted-model.ts'
import { readEvents, serveFolder, textOf } from './served-folder.ts'

const hello = { 'hello.chatmd': '<user>\nHello.\n</user>\n' }
const json = { 'content-type': 'application/json' }

function saveTool(saved: unknown[] = []) {
  return defineTool<{ text: string }>({
    name: 'save',
    description: 'Saves.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    execute: ({ text }) => {
      saved.push(text)
      return `Saved ${text}.`
    },
  })
}

const withSave = { 'save.chatmd': '<config show_tool_call/>\n<tool name="save"/>\n\n<user>\nSave it.\n</user>\n' }
const saves = [...call('c1', 'save', { text: 'x' }), finish('tool-calls')]

test('a document is run, its stream can be read from any offset, and the document has what was said', async () => {
  const { ask, post, until, read } = await serveFolder(['Hi there, you.'], { files: hello })
  const response = await ask('POST', '/api/runs', { document: 'hello.chatmd' })
  expect(response.status).toBe(201)
  const run = (await response.json()) as RunResource
  expect(response.headers.get('location')).toBe(`/api/runs/${run.id}`)
  const done = await until(run.id, 'done')
  expect(done).toMatchObject({ document: 'hello.chatmd', steps: 1, finishReason: 'stop', pending: [], queue: [] })
  expect(done.usage.totalTokens).toBeGreaterThan(0)
  const whole = await readEvents(await ask('GET', `/api/runs/${run.id}/stream`, undefined, { 'x-argot-chunks': '1' }))
  expect(whole.isDone).toBe(true)
  const fold = accumulate()
  for (const { chunk } of whole.events) fold.push(chunk)
  expect(textOf(fold.message)).toBe('Hi there, you.')
  for (const [index, { id }] of whole.events.entries()) {
    const after = await ask('GET', `/api/runs/${run.id}/stream`, undefined, {
      'x-argot-chunks': '1',
      'last-event-id': id!,
    })
    expect((await readEvents(after)).events).toEqual(whole.events.slice(index + 1))
    const from = await ask('GET', `/api/runs/${run.id}/stream?from=${id}`, undefined, { 'x-argot-chunks': '1' })
    expect((await readEvents(from)).events).toEqual(whole.events.slice(index))
  }
  expect(await read('hello.chatmd')).toContain('Hi there, you.')
  expect(await post(`/api/runs/${run.id}/stop`, {})).toMatchObject({ state: 'done' })
})

test('a call that changes something waits for an answer, also over a restart, and the first answer counts', async () => {
  const saved: unknown[] = []
  const first = await serveFolder([saves], { files: withSave, tools: [saveTool(saved)] })
  const { id } = await first.post('/api/runs', { document: 'save.chatmd' })
  await first.until(id, 'waiting')
  const second = await first.restart(['It is saved.'])
  const waiting = await second.until(id, 'waiting')
  expect(waiting.pending).toMatchObject([{ toolCallId: 'c1', toolName: 'save', input: { text: 'x' } }])
  const { approvalId, inputHash } = waiting.pending[0]!
  const answer = { approvalId, inputHash, approved: true }
  const wrong = await second.post<{ results: unknown[] }>(`/api/runs/${id}/approvals`, {
    answers: [{ ...answer, inputHash: 'x' }],
  })
  expect(wrong.results).toMatchObject([{ status: 409 }])
  expect(saved).toEqual([])
  const both = await second.post<{ results: unknown[] }>(`/api/runs/${id}/approvals`, {
    answers: [answer, { ...answer, approved: false }],
  })
  expect(both.results).toMatchObject([{ status: 200 }, { status: 409, answer: { approved: true, by: 'local' } }])
  await second.until(id, 'done')
  expect(saved).toEqual(['x'])
  const late = await second.post<{ results: unknown[] }>(`/api/runs/${id}/approvals`, { answers: [answer] })
  expect(late.results).toMatchObject([{ status: 409, answer: { approved: true, by: 'local' } }])
  const { messages } = await second.get<{ messages: Parameters<typeof toolCalls>[0][] }>(
    '/api/documents/save.chatmd/messages',
  )
  const approval = { approved: true, by: 'local', at: expect.any(Number) }
  expect(toolCalls(messages.at(-1)!)).toMatchObject([{ output: 'Saved x.', approval }])
})

test('stop retracts what a run asks, and whoever answers later is told that it is gone', async () => {
  const { post, until, ask } = await serveFolder([saves], { files: withSave, tools: [saveTool()] })
  const { id } = await post('/api/runs', { document: 'save.chatmd' })
  const { pending } = await until(id, 'waiting')
  const stopped = await ask('POST', `/api/runs/${id}/stop`, { reason: 'enough' })
  expect(stopped.status).toBe(202)
  expect(await until(id, 'stopped')).toMatchObject({ pending: [] })
  const { approvalId, inputHash } = pending[0]!
  const { results } = await post<{ results: unknown[] }>(`/api/runs/${id}/approvals`, {
    answers: [{ approvalId, inputHash, approved: true }],
  })
  expect(results).toMatchObject([{ status: 410 }])
})

test('a run that waits is over as long as its document is gone: nobody can answer or stop it', async () => {
  const saved: unknown[] = []
  const asks = [...saves.slice(0, -1), ...call('c2', 'ask_user', { question: 'Which?' }), finish('tool-calls')]
  const { post, get, ask, until, folder, read, restart } = await serveFolder([asks, 'Saved.'], {
    files: { 'save.chatmd': withSave['save.chatmd'].replace('\n\n', '\n<tool name="ask_user"/>\n\n') },
    tools: [saveTool(saved)],
  })
  const { id } = await post('/api/runs', { document: 'save.chatmd' })
  const { approvalId, inputHash } = (await until(id, 'waiting')).pending[0]!
  const text = await read('save.chatmd')
  const answers = [{ approvalId, inputHash, approved: true }]
  const isOver = async (asked: typeof ask): Promise<void> => {
    const run = await asked('GET', `/api/runs/${id}`)
    expect(await run.json()).toMatchObject({ state: 'failed', error: expect.any(String), pending: [], outputs: [] })
    const answered = await asked('POST', `/api/runs/${id}/approvals`, { answers })
    expect(await answered.json()).toMatchObject({ results: [{ status: 410 }] })
    const output = await asked('POST', `/api/runs/${id}/outputs`, { toolCallId: 'c2', output: 'x' })
    expect([output.status, await output.json()]).toMatchObject([410, { code: 'SERVER_RUN_OVER' }])
    const stopped = await asked('POST', `/api/runs/${id}/stop`, {})
    expect([stopped.status, await stopped.json()]).toMatchObject([202, { state: 'failed' }])
  }
  await rm(join(folder, 'save.chatmd'))
  await isOver(ask)
  expect(await get(`/api/runs/${id}`)).toMatchObject({
    code: 'SERVER_NOT_FOUND',
    error: "The run's document no longer exists.",
  })
  const next = await restart(['Saved.'])
  await next.until(id, 'failed')
  await isOver(next.ask)
  await writeFile(join(folder, 'save.chatmd'), text)
  expect(await next.until(id, 'waiting')).toMatchObject({ pending: [{ approvalId }] })
  await next.post(`/api/runs/${id}/outputs`, { toolCallId: 'c2', output: 'x' })
  await next.post(`/api/runs/${id}/approvals`, { answers })
  await next.until(id, 'done')
  expect(saved).toEqual(['x'])
})

test('a stop that comes while a run parks ends it, though the run was still at work when it was looked at', async () => {
  let isOld = false
  const { post, until } = await serveFolder([saves], {
    files: withSave,
    tools: [saveTool()],
    over: store => ({
      ...store,
      logs: {
        ...store.logs,
        async find(run) {
          const found = await store.logs.find(run)
          return found !== undefined && isOld ? { ...found, state: 'running' } : found
        },
      },
      inbox: {
        ...store.inbox,
        post(run, said) {
          isOld = false
          return store.inbox.post(run, said)
        },
      },
    }),
  })
  const { id } = await post('/api/runs', { document: 'save.chatmd' })
  await until(id, 'waiting')
  // Parked for everybody, so that nobody looks again by himself.
  await new Promise(resolve => setTimeout(resolve, 100))
  isOld = true
  await post(`/api/runs/${id}/stop`, {})
  expect(await until(id, 'stopped')).toMatchObject({ pending: [] })
})

test('the same send joins the same run, and the same key with another body is refused', async () => {
  const { server, until } = await serveFolder(['Hi.'], { files: hello })
  const send = (body: unknown) =>
    server.fetch(
      new Request('http://localhost/api/runs', {
        method: 'POST',
        headers: { ...json, 'idempotency-key': 'k1' },
        body: JSON.stringify(body),
      }),
    )
  const body = { document: 'hello.chatmd', input: 'And you?' }
  const [a, b] = await Promise.all([send(body), send(body)])
  const ids = [((await a.json()) as RunResource).id, ((await b.json()) as RunResource).id]
  expect(ids[0]).toBe(ids[1])
  await until(ids[0]!, 'done')
  expect(((await (await send(body)).json()) as RunResource).id).toBe(ids[0])
  const other = await send({ ...body, input: 'Another.' })
  expect(other.status).toBe(409)
  expect(await other.json()).toMatchObject({ code: 'SERVER_KEY_REUSED', run: ids[0] })
})

test('a message that comes while a run works waits for its turn, or is refused', async () => {
  let go = (): void => {}
  const gate = new Promise<void>(resolve => {
    go = resolve
  })
  const { post, ask, until, read, get } = await serveFolder(['First.', 'Second.', 'Third.'], {
    files: hello,
    before: { before: (part, step) => (step === 0 && part.type === 'text-end' ? gate : undefined) },
  })
  const first = await post('/api/runs', { document: 'hello.chatmd' })
  expect(first.state).toBe('running')
  const refused = await ask('POST', '/api/runs', { document: 'hello.chatmd', input: 'No.', mode: 'reject' })
  expect(refused.status).toBe(409)
  expect(await refused.json()).toMatchObject({ code: 'SERVER_BUSY', run: first.id })
  const second = await post('/api/runs', { document: 'hello.chatmd', input: 'Two?' })
  const third = await post('/api/runs', { document: 'hello.chatmd', input: 'Three?' })
  expect([second.state, third.state]).toEqual(['queued', 'queued'])
  const { queue } = await get(`/api/runs/${first.id}`)
  expect(queue).toEqual([
    { id: second.id, text: 'Two?' },
    { id: third.id, text: 'Three?' },
  ])
  const events = readEvents(await ask('GET', `/api/runs/${third.id}/stream`, undefined, { 'x-argot-chunks': '1' }))
  go()
  await until(third.id, 'done')
  expect((await events).events.at(-1)?.chunk.type).toBe('finish')
  const text = await read('hello.chatmd')
  const places = ['First.', 'Two?', 'Second.', 'Three?', 'Third.'].map(one => text.indexOf(one))
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(places).not.toContain(-1)
})

test('the queue survives the server, and so does a run in the middle of its answer', async () => {
  let reached = (): void => {}
  const middle = new Promise<void>(resolve => {
    reached = resolve
  })
  const first = await serveFolder(['One two three.'], {
    files: hello,
    before: {
      before: part => {
        if (part.type !== 'text-delta' || !part.delta.startsWith('three')) return undefined
        reached()
        return new Promise(() => {})
      },
    },
  })
  const run = await first.post('/api/runs', { document: 'hello.chatmd' })
  const queued = await first.post('/api/runs', { document: 'hello.chatmd', input: 'More?' })
  await middle
  const second = await first.restart(['Again.', 'More.'])
  expect(await second.until(queued.id, 'done')).toMatchObject({ state: 'done' })
  expect(await second.get(`/api/runs/${run.id}`)).toMatchObject({ state: 'done' })
  const text = await second.read('hello.chatmd')
  expect(text.match(/Again\./g)).toHaveLength(1)
  expect(text.match(/More\?/g)).toHaveLength(1)
})

test('a document that cannot be run says why, and a run that waits behind another says so in its stream', async () => {
  const { ask, post, until } = await serveFolder(['Hi.'], {
    files: { ...hello, 'bad.chatmd': '<tool name="no_such"/>\n<user>\nGo.\n</user>\n' },
  })
  const refused = await ask('POST', '/api/runs', { document: 'bad.chatmd' })
  expect(refused.status).toBe(422)
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining('no_such') })
  const answered = await post('/api/runs', { document: 'hello.chatmd' })
  await until(answered.id, 'done')
  const nothing = await ask('POST', '/api/runs', { document: 'hello.chatmd' })
  expect(await nothing.json()).toMatchObject({ code: 'RUN_NOTHING_TO_ANSWER' })
})

test('a large result travels cut, and the whole of it is at its own route, in ranges too', async () => {
  const big = 'ä'.repeat(400_000)
  const tool = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    effect: 'read',
    execute: () => big,
  })
  const { post, until, ask, folder } = await serveFolder([[...call('c1', 'look', {}), finish('tool-calls')], 'Seen.'], {
    files: { 'look.chatmd': '<tool name="look"/>\n\n<user>\nLook.\n</user>\n' },
    tools: [tool],
    limits: { resultBytes: 10_000 },
  })
  const { id } = await post('/api/runs', { document: 'look.chatmd' })
  await until(id, 'done')
  const { events } = await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, { 'x-argot-chunks': '1' }))
  const sent = events.find(({ chunk }) => chunk.type === 'tool-output-available')!.chunk as { output: string }
  const log = await readFile(join(folder, '.chatmd/runs/look.chatmd', `${id}.jsonl`), 'utf8')
  const kept = JSON.parse(/"tool-output-available","toolCallId":"c1","output":("[^"]*")/.exec(log)![1]!) as string
  expect(sent.output.length).toBeLessThan(kept.length)
  expect(sent).toMatchObject({ providerMetadata: { argot: { full: { bytes: Buffer.byteLength(kept) } } } })
  const whole = await ask('GET', `/api/runs/${id}/calls/c1/output`)
  expect(await whole.text()).toBe(kept)
  const part = await ask('GET', `/api/runs/${id}/calls/c1/output`, undefined, { range: 'bytes=2-5' })
  expect([part.status, await part.text()]).toEqual([206, 'ää'])
  const beyond = await ask('GET', `/api/runs/${id}/calls/c1/output`, undefined, { range: 'bytes=9999999-' })
  expect(beyond.status).toBe(416)
})

test('ask_user waits for its output, which is taken once', async () => {
  const asks = [...call('c1', 'ask_user', { question: 'Which?' }), finish('tool-calls')]
  const { post, until, ask } = await serveFolder([asks, 'Blue.'], {
    files: { 'ask.chatmd': '<tool name="ask_user"/>\n\n<user>\nPaint.\n</user>\n' },
  })
  const { id } = await post('/api/runs', { document: 'ask.chatmd' })
  expect((await until(id, 'waiting')).outputs).toMatchObject([{ toolCallId: 'c1', toolName: 'ask_user' }])
  const given = await ask('POST', `/api/runs/${id}/outputs`, { toolCallId: 'c1', output: 'blue' })
  expect(given.status).toBe(200)
  const again = await ask('POST', `/api/runs/${id}/outputs`, { toolCallId: 'c1', output: 'red' })
  expect(again.status).toBe(409)
  await until(id, 'done')
  const late = await ask('POST', `/api/runs/${id}/outputs`, { toolCallId: 'c1', output: 'red' })
  expect(late.status).toBe(409)
  const unknown = await ask('POST', `/api/runs/${id}/outputs`, { toolCallId: 'c9', output: 'red' })
  expect(unknown.status).toBe(410)
})

test('parameters of a document are given with the send, and what is missing or unknown is refused', async () => {
  const { ask, post, until, model } = await serveFolder(['Fine.'], {
    files: { 'trip.chatmd': '<config params="place"/>\n<user>\nA trip to {{place}}.\n</user>\n' },
  })
  const missing = await ask('POST', '/api/runs', { document: 'trip.chatmd' })
  expect([missing.status, await missing.json()]).toMatchObject([422, { code: 'RUN_MISSING_PARAM' }])
  const unknown = await ask('POST', '/api/runs', { document: 'trip.chatmd', params: { plaice: 'x' } })
  expect([unknown.status, await unknown.json()]).toMatchObject([422, { code: 'RUN_UNKNOWN_PARAM' }])
  const { id } = await post('/api/runs', { document: 'trip.chatmd', params: { place: '<doc src="x"/> {{place}}' } })
  await until(id, 'done')
  expect(JSON.stringify(model.asked[0]!.prompt)).toContain('A trip to <doc src=\\"x\\"/> {{place}}.')
})

test('a send that could not begin can be repeated with its key once the document was repaired', async () => {
  const { ask, until, folder } = await serveFolder(['Hi.'], {
    files: { 'a.chatmd': '<tool name="nope"/>\n<user>\nHello.\n</user>\n' },
  })
  const send = () => ask('POST', '/api/runs', { document: 'a.chatmd' }, { 'idempotency-key': 'k' })
  expect((await send()).status).toBe(422)
  await writeFile(join(folder, 'a.chatmd'), '<user>\nHello.\n</user>\n')
  const taken = await send()
  expect(taken.status).toBe(201)
  const { id } = (await taken.json()) as RunResource
  await until(id, 'done')
  expect(((await (await send()).json()) as RunResource).id).toBe(id)
})

test('runs are listed newest first, as many as are asked for, by state and by document', async () => {
  const { post, get, until } = await serveFolder(['One.', 'Two.', 'Three.'], {
    files: { ...hello, 'other.chatmd': '<user>\nHello.\n</user>\n' },
  })
  const ids: string[] = []
  for (const document of ['hello.chatmd', 'other.chatmd', 'hello.chatmd']) {
    const { id } = await post('/api/runs', { document, input: 'And?' })
    await until(id, 'done')
    ids.unshift(id)
  }
  const list = async (query: string): Promise<string[]> =>
    (await get<{ runs: RunResource[] }>(`/api/runs?${query}`)).runs.map(({ id }) => id)
  expect(await list('')).toEqual(ids)
  expect(await list('limit=2')).toEqual(ids.slice(0, 2))
  expect(await list('document=hello.chatmd')).toEqual([ids[0], ids[2]])
  expect(await list('state=done&limit=1')).toEqual(ids.slice(0, 1))
  expect(await list('state=running')).toEqual([])
})
