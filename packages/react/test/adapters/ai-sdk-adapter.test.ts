import { aiSdkAdapter } from '@argot/react'
import { createUIMessageStream, createUIMessageStreamResponse, type UIMessage, type UIMessageChunk } from 'ai'
import { expect, test } from 'vitest'
import { openStore, run, testAdapter, until } from './adapter-suite.ts'

interface Asked {
  url: string
  body: { id: string; trigger: string; messages: UIMessage[] }
}

/** An endpoint as the AI SDK's own functions make it. */
function endpoint(
  answer: (asked: Asked) => { chunks: readonly object[]; isSilent?: boolean },
  asked: Asked[] = [],
): typeof fetch {
  return async (url, init) => {
    const one = { url: String(url), body: JSON.parse(String(init?.body ?? '{}')) as Asked['body'] }
    asked.push(one)
    const { chunks, isSilent = false } = answer(one)
    const stream = createUIMessageStream({
      execute: async ({ writer }) => {
        for (const chunk of chunks) writer.write(chunk as UIMessageChunk)
        if (isSilent) await new Promise<void>(resolve => init?.signal?.addEventListener('abort', () => resolve()))
      },
    })
    return createUIMessageStreamResponse({ stream })
  }
}

testAdapter('an endpoint of the AI SDK', {
  whole: () => aiSdkAdapter({ fetch: endpoint(() => ({ chunks: run })) }),
  silentAfter: count => aiSdkAdapter({ fetch: endpoint(() => ({ chunks: run.slice(0, count), isSilent: true })) }),
})

test('the messages are sent in the shape of the AI SDK', async () => {
  const asked: Asked[] = []
  const store = openStore(
    aiSdkAdapter({ api: '/chat', body: { model: 'm' }, fetch: endpoint(() => ({ chunks: run }), asked) }),
  )
  await store.send({ text: 'How many?' })
  await store.regenerate()
  expect(asked.map(({ url, body }) => [url, body.trigger])).toEqual([
    ['/chat', 'submit-message'],
    ['/chat', 'regenerate-message'],
  ])
  expect(asked[0]!.body).toMatchObject({
    model: 'm',
    messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'How many?' }] }],
  })
})

test('once the last approval is answered, the messages are sent again and the same message continues', async () => {
  const asked: Asked[] = []
  const asks = ['c1', 'c2'].flatMap(toolCallId => [
    { type: 'tool-input-available', toolCallId, toolName: 'delete', input: { path: toolCallId } },
    { type: 'tool-approval-request', toolCallId, approvalId: `p-${toolCallId}` },
  ])
  const answers = [
    { type: 'tool-output-available', toolCallId: 'c1', output: 'gone' },
    { type: 'tool-output-denied', toolCallId: 'c2' },
    { type: 'finish' },
  ]
  const fetch = endpoint(
    () => ({
      chunks:
        asked.length === 1
          ? [{ type: 'start', messageId: 'a1' }, ...asks, { type: 'finish', finishReason: 'tool-calls' }]
          : [{ type: 'start', messageId: 'a1' }, ...answers],
    }),
    asked,
  )
  const store = openStore(aiSdkAdapter({ fetch }))
  await store.send({ text: 'Delete both' })
  expect(store.conversation.pending.get()).toHaveLength(2)
  await store.answer('a1/c1', { approved: true })
  expect(asked).toHaveLength(1)
  await store.answer('a1/c2', { approved: false, reason: 'no' })
  await until(() => !store.isRunning)
  expect(asked[1]!.body.messages.at(-1)!.parts).toMatchObject([
    { state: 'approval-responded', approval: { id: 'p-c1', approved: true } },
    { state: 'approval-responded', approval: { id: 'p-c2', approved: false, reason: 'no' } },
  ])
  expect(store.conversation.ids.get()).toEqual(['u1', 'a1'])
  expect(store.conversation.call('a1/c1')).toMatchObject({ state: 'output-available', output: 'gone' })
  expect(store.conversation.call('a1/c2')).toMatchObject({ state: 'output-denied' })
})

test('approvals that are answered at once, by one press or one text, continue the message once', async () => {
  const asked: Asked[] = []
  const asks = ['c1', 'c2', 'c3'].flatMap(toolCallId => [
    { type: 'tool-input-available', toolCallId, toolName: 'delete', input: { path: toolCallId } },
    { type: 'tool-approval-request', toolCallId, approvalId: `p-${toolCallId}` },
  ])
  const fetch = endpoint(
    () => ({
      chunks:
        asked.length === 1
          ? [{ type: 'start', messageId: 'a1' }, ...asks, { type: 'finish', finishReason: 'tool-calls' }]
          : [{ type: 'start', messageId: 'a1' }, { type: 'text-start', id: 't' }, { type: 'finish' }],
    }),
    asked,
  )
  const store = openStore(aiSdkAdapter({ fetch }))
  await store.send({ text: 'Delete all' })
  await Promise.all(['c1', 'c2', 'c3'].map(id => store.answer(`a1/${id}`, { approved: true })))
  expect(asked).toHaveLength(2)
  const approved = ['c1', 'c2', 'c3'].map(id => ({ approval: { id: `p-${id}`, approved: true } }))
  expect(asked[1]!.body.messages.at(-1)!.parts).toMatchObject(approved)
})

test('a response that is not a stream is an error with what the server says', async () => {
  const fetch = async (): Promise<Response> => Response.json({ error: 'No key.' }, { status: 401 })
  const store = openStore(aiSdkAdapter({ fetch }))
  await store.send({ text: 'Hi' })
  expect(store.error.get()).toMatchObject({ code: 'SEND_ERROR', message: 'No key.' })
})

test('a run that is on is joined, and none where there is none', async () => {
  const urls: string[] = []
  const answer = endpoint(() => ({ chunks: run }))
  const joins = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    urls.push(String(url))
    return urls.length === 1 ? answer(url, init) : new Response(null, { status: 204 })
  }
  const store = openStore(aiSdkAdapter({ id: 'my chat', fetch: joins, resume: true }))
  await store.join()
  expect(store.conversation.messages()).toMatchObject([{ id: 'a1', status: 'sent' }])
  await store.join()
  expect(urls).toEqual(['/api/chat/my%20chat/stream', '/api/chat/my%20chat/stream'])
  expect(store.conversation.ids.get()).toHaveLength(1)
})

test('a page that is loaded asks for no stream, unless it resumes', async () => {
  const urls: string[] = []
  const fetch = async (url: RequestInfo | URL): Promise<Response> => {
    urls.push(String(url))
    return Response.json({}, { status: 404 })
  }
  const store = openStore(aiSdkAdapter({ fetch }))
  await store.join()
  expect(urls).toEqual([])
  expect(store.error.get()).toBe(undefined)
})

test("stop stops the run of a server of Argot, which would continue without its reader, and no one else's", async () => {
  const asked: string[] = []
  const answers = endpoint(() => ({ chunks: run.slice(0, 8), isSilent: true }))
  const fetchFrom =
    (headers: Record<string, string>) =>
    async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      asked.push(`${init?.method} ${String(url)}`)
      if (String(url).endsWith('/stop')) return new Response(null, { status: 202 })
      const response = await answers(url, init)
      return new Response(response.body, { headers })
    }
  for (const headers of [{ 'x-argot-run-id': 'r 1' }, {}] as Record<string, string>[]) {
    const store = openStore(aiSdkAdapter({ api: 'https://a.b/api/chat', fetch: fetchFrom(headers) }))
    void store.send({ text: 'How many?' })
    await until(() => store.conversation.call('a1/c1') !== undefined)
    store.stop()
  }
  await until(() => asked.length === 3)
  expect(asked).toEqual([
    'POST https://a.b/api/chat',
    'POST https://a.b/api/runs/r%201/stop',
    'POST https://a.b/api/chat',
  ])
})
