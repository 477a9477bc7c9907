import { defineTool } from '@argot/agent'
import { argotServerAdapter, ChatStore } from '@argot/react'
import type { RunResource } from '@argot/server'
import { expect, test } from 'vitest'
import { call, finish, text } from '../../../agent/test/scripted-model.ts'
import { serveFolder, textOf } from '../served-folder.ts'
import { gate } from './gate.ts'
import { listenAt } from './stock-chat.ts'

const saved: unknown[] = []
const save = defineTool<{ text: string }>({
  name: 'save',
  description: 'Saves.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => {
    saved.push(text)
    return `Saved ${text}.`
  },
})
const tools = [save]
const files = { 'chat.chatmd': '<config show_tool_call/>\n<tool name="save"/>\n<tool name="ask_user"/>\n\n' }
const saves = [...text('I save it.'), ...call('c1', 'save', { text: 'x' }), finish('tool-calls')]
const asks = [...call('q1', 'ask_user', { question: 'Which?' }), finish('tool-calls')]
const poll = { timeout: 20_000 }

/** A page of ours without its pixels, on connections of its own. */
function open(url: string, fetch?: typeof globalThis.fetch): ChatStore {
  const adapter = argotServerAdapter({ document: 'chat.chatmd', url: `${url}/`, events: false, fetch })
  return new ChatStore({ adapter, conversationId: 'chat.chatmd', streamFlushInterval: 1 })
}

const last = (store: ChatStore): string => textOf(store.conversation.messages().at(-1))
const pending = (store: ChatStore): number => store.conversation.pending.get().length

test('of two pages that answer, the second shows the answer that counts', async () => {
  saved.length = 0
  const served = await serveFolder([saves, 'Done with it.'], { files, tools })
  const { url } = await listenAt(served)
  const one = open(url)
  const two = open(url)
  void one.send({ text: 'Save it.' })
  await expect.poll(() => pending(one), poll).toBe(1)
  void two.join()
  await expect.poll(() => pending(two), poll).toBe(1)
  const { callKey } = one.conversation.pending.get()[0]!
  await Promise.all([one.answer(callKey, { approved: true }), two.answer(callKey, { approved: true })])
  for (const store of [one, two]) {
    await expect.poll(() => last(store), poll).toContain('Done with it.')
    expect(store.conversation.call(callKey)).toMatchObject({ state: 'output-available', approval: { approved: true } })
    expect(store.error.get()).toBeUndefined()
  }
  expect(saved).toEqual(['x'])
  expect(two.conversation.messages().map(({ role }) => role)).toEqual(['user', 'assistant'])
})

test('a page on a run that waits shows the answer that another client gives after a rename', async () => {
  saved.length = 0
  const served = await serveFolder([saves, 'Done with it.'], { files, tools })
  const { url } = await listenAt(served)
  const store = open(url)
  void store.send({ text: 'Save it.' })
  await expect.poll(() => pending(store), poll).toBe(1)
  const renamed = await served.ask('POST', '/api/documents/chat.chatmd/rename', { to: 'plans/save.chatmd' })
  expect(renamed.status).toBe(200)
  const { runs } = await served.get<{ runs: RunResource[] }>('/api/runs?document=plans%2Fsave.chatmd')
  const [{ approvalId, inputHash }] = runs[0]!.pending as [RunResource['pending'][number]]
  await served.post(`/api/runs/${runs[0]!.id}/approvals`, { answers: [{ approvalId, inputHash, approved: true }] })
  await expect.poll(() => last(store), poll).toContain('Done with it.')
  await expect.poll(() => store.status.get(), poll).toBe('ready')
  expect([store.error.get(), pending(store), saved]).toEqual([undefined, 0, ['x']])
})

test('a page on a run that waits comes to an end if the document is erased', async () => {
  const served = await serveFolder([saves], { files, tools })
  const { url } = await listenAt(served)
  const store = open(url)
  void store.send({ text: 'Save it.' })
  await expect.poll(() => pending(store), poll).toBe(1)
  expect((await served.ask('DELETE', '/api/documents/chat.chatmd?forever')).status).toBe(204)
  await expect.poll(() => store.status.get(), poll).toBe('ready')
  expect(store.lost.get()).toBeUndefined()
  expect(store.error.get()).toMatchObject({ message: 'The connection was lost.' })
})

test('a page that answers what another page has stopped shows that it did not run, and no error of the page', async () => {
  saved.length = 0
  const served = await serveFolder([saves], { files, tools })
  const { url } = await listenAt(served)
  const two = open(url)
  void two.send({ text: 'Save it.' })
  await expect.poll(() => pending(two), poll).toBe(1)
  const { callKey } = two.conversation.pending.get()[0]!
  // Its answer is on its way while the run is stopped elsewhere.
  const { runs } = await served.get<{ runs: { id: string }[] }>('/api/runs')
  const one = argotServerAdapter({
    document: 'chat.chatmd',
    url: `${url}/`,
    events: false,
    async fetch(input, init) {
      if (String(input).endsWith('/approvals')) {
        await served.post(`/api/runs/${runs[0]!.id}/stop`, {})
        await served.until(runs[0]!.id, 'stopped')
      }
      return fetch(input, init)
    },
  })
  const store = new ChatStore({ adapter: one, conversationId: 'chat.chatmd', streamFlushInterval: 1 })
  void store.join()
  await expect.poll(() => pending(store), poll).toBe(1)
  await store.answer(callKey, { approved: true })
  for (const page of [store, two]) {
    await expect.poll(() => page.conversation.call(callKey)?.state, poll).toBe('output-error')
    expect(pending(page)).toBe(0)
    expect(page.error.get()).toBeUndefined()
  }
  expect(saved).toEqual([])
})

test('of two pages that give an output, the second shows the one that counts, and no error', async () => {
  const served = await serveFolder([asks, 'Fine.'], { files, tools })
  const { url } = await listenAt(served)
  const one = open(url)
  const two = open(url)
  void one.send({ text: 'Paint.' })
  await expect.poll(() => pending(one), poll).toBe(1)
  void two.join()
  await expect.poll(() => pending(two), poll).toBe(1)
  const { callKey } = one.conversation.pending.get()[0]!
  await one.addToolOutput(callKey, 'blue')
  await two.addToolOutput(callKey, 'red')
  for (const store of [one, two]) {
    await expect.poll(() => last(store), poll).toContain('Fine.')
    expect(store.conversation.call(callKey)).toMatchObject({ state: 'output-available', output: 'blue' })
    expect(store.error.get()).toBeUndefined()
  }
})

test('a page that comes while one run works and another waits behind it shows the one that works', async () => {
  const middle = gate()
  const served = await serveFolder(['One two.', 'Three.'], {
    files,
    tools,
    before: { before: (part, step) => (step === 0 && part.type === 'text-end' ? middle.wait() : undefined) },
  })
  const { url } = await listenAt(served)
  for (const input of ['First?', 'Second?']) await served.post('/api/runs', { document: 'chat.chatmd', input })
  await middle.reached
  const store = open(url)
  void store.join()
  await expect.poll(() => last(store), poll).toBe('One two.')
  middle.open()
})

test('the output of a tool of the page is given, and a run is really stopped', async () => {
  const middle = gate()
  const served = await serveFolder([asks, 'Blue it is.'], {
    files,
    tools,
    before: { before: (part, step) => (step === 1 && part.type === 'text-end' ? middle.wait() : undefined) },
  })
  const { url } = await listenAt(served)
  const store = open(url)
  void store.send({ text: 'Paint.' })
  await expect.poll(() => pending(store), poll).toBe(1)
  const { callKey } = store.conversation.pending.get()[0]!
  await store.addToolOutput(callKey, 'blue')
  await middle.reached
  store.stop()
  const { runs } = await served.get<{ runs: { id: string }[] }>('/api/runs')
  await served.until(runs[0]!.id, 'stopped')
  middle.open()
})

test('a run that is stopped before the server has said its name is really stopped', async () => {
  const middle = gate()
  const served = await serveFolder(['Said.'], {
    files,
    tools,
    before: { before: part => (part.type === 'text-end' ? middle.wait() : undefined) },
  })
  const { url } = await listenAt(served)
  const accepted = gate()
  const store = open(url, async (input, init) => {
    const answer = await fetch(input, init)
    if (init?.method === 'POST' && String(input).endsWith('/runs')) await accepted.wait()
    return answer
  })
  void store.send({ text: 'Say it.' })
  await accepted.reached
  store.stop()
  accepted.open()
  const { runs } = await served.get<{ runs: { id: string }[] }>('/api/runs')
  await served.until(runs[0]!.id, 'stopped')
  expect(store.isRunning).toBe(false)
  expect(store.error.get()).toBeUndefined()
  middle.open()
})

test('a connection that is cut again and again is continued at its offset, and nothing is said twice', async () => {
  const said = 'One two three four five six seven eight.'
  const served = await serveFolder([said], { files, tools })
  const { url } = await listenAt(served)
  const offsets: number[] = []
  const cutting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const [, from] = /stream\?from=(\d+)/.exec(String(input)) ?? []
    if (from === undefined) return response
    offsets.push(Number(from))
    return offsets.length > 4 ? response : new Response(cutAfter(response.body!, 300))
  }
  const store = open(url, cutting)
  // Whoever waits for a connection tries it at once.
  store.lost.subscribe(() => queueMicrotask(() => store.retryNow()))
  await store.send({ text: 'Count.' })
  expect(last(store)).toBe(said)
  expect(store.conversation.messages()).toHaveLength(2)
  expect(offsets).toHaveLength(5)
  expect(offsets).toEqual([...offsets].sort((a, b) => a - b))
  expect(offsets[1]).toBeGreaterThan(0)
})

/** The first bytes, and then an end that says nothing. */
function cutAfter(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let left = bytes
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      controller.enqueue(value.subarray(0, left))
      left -= value.byteLength
      if (left > 0) return
      controller.close()
      await reader.cancel()
    },
    cancel: reason => reader.cancel(reason),
  })
}

test('an answer that failed is continued by a retry: nothing is said twice, and the question is asked once', async () => {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object' },
    effect: 'read',
    execute: () => 'seen',
  })
  const breaks = [{ type: 'error', error: new Error('It broke.') } as const]
  const looks = [...text('I look.'), ...call('c1', 'look', {}), finish('tool-calls')]
  const served = await serveFolder([looks, breaks as never, 'Here it is.'], {
    files: { 'chat.chatmd': '<config show_tool_call/>\n<tool name="look"/>\n\n' },
    tools: [look],
  })
  const { url } = await listenAt(served)
  const store = open(url)
  await store.send({ text: 'Look.' })
  expect(store.conversation.messages().at(-1)?.status).toBe('error')
  await store.regenerate()
  expect(last(store)).toBe('I look.Here it is.')
  expect(store.conversation.messages().map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect((await served.read('chat.chatmd')).match(/Look\.\n/g)).toHaveLength(1)
})

test('a run that ends between the history and the joining of it is shown', async () => {
  const middle = gate()
  const served = await serveFolder(['All of it is said.'], {
    files,
    tools,
    before: { before: part => (part.type === 'text-end' ? middle.wait() : undefined) },
  })
  const { url } = await listenAt(served)
  const { id } = await served.post('/api/runs', { document: 'chat.chatmd', input: 'Say it.' })
  let isLoaded = false
  const store = open(url, async (input, init) => {
    const answer = await fetch(input, init)
    if (!isLoaded && String(input).includes('/messages')) {
      isLoaded = true
      middle.open()
      await served.until(id, 'done')
    }
    return answer
  })
  await store.join()
  expect(store.conversation.messages().map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(last(store)).toBe('All of it is said.')
})

test('a page that is told of a run elsewhere while it still reads its own shows it after that, with its question', async () => {
  const served = await serveFolder(['Mine is said.', saves, 'Done with it.'], { files, tools })
  const { url } = await listenAt(served)
  const end = gate()
  let streams = 0
  const one = open(url, async (input, init) => {
    const answer = await fetch(input, init)
    if (!String(input).includes('/stream') || streams++ > 0) return answer
    // The last of its own run is on its way for long.
    const held = answer.body!.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({ transform: (bytes, to) => to.enqueue(bytes), flush: end.wait }),
    )
    return new Response(held, { status: answer.status, headers: answer.headers })
  })
  const two = open(url)
  void one.send({ text: 'Mine?' })
  await expect.poll(() => last(one), poll).toBe('Mine is said.')
  await end.reached
  await two.join()
  void two.send({ text: 'Save it.' })
  await expect.poll(() => pending(two), poll).toBe(1)
  expect(one.isRunning).toBe(true)
  void one.join({ hasNews: true })
  end.open()
  await expect.poll(() => pending(one), poll).toBe(1)
  const said = (store: ChatStore): string[] => store.conversation.messages().map(textOf)
  expect(said(one)).toEqual(['Mine?', 'Mine is said.', 'Save it.', 'I save it.'])
  await one.answer(one.conversation.pending.get()[0]!.callKey, { approved: true })
  for (const store of [one, two]) await expect.poll(() => last(store), poll).toContain('Done with it.')
})

test('a page that is told of its own run does not read it again after its end', async () => {
  const served = await serveFolder(['All of it is said.'], { files, tools })
  const { url } = await listenAt(served)
  const asked: string[] = []
  const store = open(url, (input, init) => {
    asked.push(
      String(input)
        .replace(/^.*\/api\//, '')
        .replace(/[?].*/, ''),
    )
    return fetch(input, init)
  })
  const sent = store.send({ text: 'Say it.' })
  void store.join({ hasNews: true })
  await sent
  await expect.poll(() => asked.filter(path => path === 'runs').length, poll).toBe(2)
  await store.join({ hasNews: true })
  expect(asked.filter(path => path.endsWith('/stream'))).toHaveLength(1)
  expect(store.conversation.messages().map(textOf)).toEqual(['Say it.', 'All of it is said.'])
})

test('another try is a branch of the document, with the model that was asked for; feedback and the way back are kept', async () => {
  const served = await serveFolder(['One.', 'Two.', 'Three.'], { files: { 'chat.chatmd': '' } })
  const { url } = await listenAt(served)
  const store = open(url)
  await store.send({ text: 'Hello.' })
  const [, first] = store.conversation.messages()
  await store.giveFeedback(first!.id, 'good')
  await store.tryAgain(first!.id, { syntax: 'xml' })
  await expect.poll(() => last(store), poll).toBe('Two.')
  const answers = store.answers.get()!
  const second = store.conversation.messages().at(-1)!
  await expect.poll(() => answers.place(second.id), poll).toBe('2/2')
  expect(answers.feedback(second.id)).toBe('none')
  await answers.go(second.id, -1)
  await expect.poll(() => last(store), poll).toBe('One.')
  expect([answers.place(first!.id), answers.feedback(first!.id)]).toEqual(['1/2', 'good'])
  // The message that was sent from here has another id in the document.
  store.edit(store.conversation.ids.get()[0]!)
  store.submit({ text: 'Good morning.' })
  await expect.poll(() => last(store), poll).toBe('Three.')
  expect(store.error.get()).toBeUndefined()
  expect(
    (await served.get<{ path: string; branchOf?: string }[]>('/api/documents')).map(one => [one.path, one.branchOf]),
  ).toEqual([
    ['chat.1.chatmd', 'chat.chatmd'],
    ['chat.2.chatmd', 'chat.chatmd'],
    ['chat.chatmd', undefined],
  ])
  const reloaded = open(url)
  await reloaded.join()
  expect(reloaded.conversation.messages().at(-1)!.metadata?.feedback).toEqual({ value: 'good' })
})
