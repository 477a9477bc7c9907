import { accumulate, type Chunk, decodeSse, type Message, toolCalls } from '@argot/core'
import { toResponse } from '@argot/core/ai-sdk'
import type { WireClient } from '@argot/core/stream/internal'
import { createAiSdkAdapter } from '@mui/x-chat-headless'
import { ChatStore } from '@mui/x-chat-headless/store'
import { processStream } from '@mui/x-chat-headless/stream'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { answer, ask, available, finishStep, inputStart, output, start, startStep, text } from '../stream/chunks.ts'
import { expectValid } from '../stream/clients.ts'
import { fixture, fixtures } from '../stream/fixtures.ts'

const approved: Chunk[] = [
  start(),
  startStep,
  ...text('t1', 'Let me look.'),
  inputStart(),
  available(),
  ask('a1'),
  answer(true),
  available({ q: 'dogs' }),
  output('found'),
  finishStep,
  startStep,
  ...text('t2', 'Two dogs.'),
  finishStep,
  { type: 'finish', messageId: 'm1', finishReason: 'stop' },
]

/** The message that `useChat` has at the end: its own transport reads the response. */
async function readWithUseChat(response: Response): Promise<{ message: UIMessage | undefined; errors: unknown[] }> {
  const transport = new DefaultChatTransport({ api: 'http://localhost/api/chat', fetch: async () => response })
  const request = { trigger: 'submit-message', chatId: 'c', messageId: undefined, abortSignal: undefined } as const
  const stream = await transport.sendMessages({ ...request, messages: [] })
  const errors: unknown[] = []
  let message: UIMessage | undefined
  for await (const moment of readUIMessageStream({ stream, onError: error => errors.push(error) })) {
    message = JSON.parse(JSON.stringify(moment)) as UIMessage
    await expectValid(message)
  }
  return { message, errors }
}

/** The message that MUI X Chat has at the end: its own adapter reads the response. */
async function readWithMuiAdapter(response: Response): Promise<Record<string, unknown>> {
  const adapter = createAiSdkAdapter({ stream: () => response.body! })
  const message = { id: 'u', role: 'user', parts: [] } as never
  const stream = await adapter.sendMessage({ message, messages: [], signal: new AbortController().signal })
  const store = new ChatStore()
  await processStream(store, stream, { flushInterval: 0 })
  const id = store.state.messageIds.at(-1)!
  return JSON.parse(JSON.stringify(store.state.messagesById[id])) as Record<string, unknown>
}

async function readWithArgot(response: Response): Promise<Message> {
  const events = decodeSse()
  const fold = accumulate()
  for await (const bytes of response.body!) for (const { chunk } of events.push(bytes)) fold.push(chunk)
  expect(events.done).toBe(true)
  expect([...events.diagnostics, ...fold.diagnostics]).toEqual([])
  return fold.message!
}

describe('an answered approval', () => {
  test('is read by the transport of useChat', async () => {
    const { message, errors } = await readWithUseChat(toResponse(approved))
    expect(errors).toEqual([])
    expect(message?.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'Let me look.' },
      { type: 'tool-search', state: 'output-available', input: { q: 'dogs' }, output: 'found' },
      { type: 'step-start' },
      { text: 'Two dogs.' },
    ])
  })

  test('is read by the adapter of MUI X Chat', async () => {
    expect(await readWithMuiAdapter(toResponse(approved, { client: 'mui' }))).toMatchObject({
      status: 'sent',
      parts: expect.arrayContaining([
        expect.objectContaining({
          toolInvocation: expect.objectContaining({ state: 'output-available', output: 'found' }),
        }),
        expect.objectContaining({ type: 'text', text: 'Two dogs.' }),
      ]),
    })
  })

  test('is read whole by our own clients, who announce themselves', async () => {
    const request = new Request('http://localhost', { headers: { 'x-argot-chunks': '1' } })
    const [call] = toolCalls(await readWithArgot(toResponse(approved, { request })))
    expect(call).toMatchObject({
      input: { q: 'dogs' },
      rawInput: { q: 'cats' },
      approval: { id: 'a1', approved: true },
    })
  })
})

test.each(fixtures)('%s: the transport of useChat reads the response to its end', async name => {
  const chunks = fixture(name)
  const { errors } = await readWithUseChat(toResponse(chunks))
  expect(errors).toHaveLength(chunks.filter(({ type }) => type === 'error').length)
})

test('the response has the headers that clients expect, and those that are given', () => {
  const response = toResponse([], { headers: { 'access-control-allow-origin': '*' }, status: 201 })
  expect(response.status).toBe(201)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
})

test.each<WireClient>(['argot', 'ai-sdk', 'mui'])(
  'chunks that fail are ended in order for %s, and why is not told',
  async client => {
    async function* failing(): AsyncGenerator<Chunk> {
      yield start()
      yield startStep
      yield { type: 'text-start', id: 't' }
      throw new Error('the password is 1234')
    }
    const body = await toResponse(failing(), { client }).text()
    expect(body).not.toContain('1234')
    const types = [...body.matchAll(/"type":"([a-z-]+)"/g)].map(([, type]) => type)
    expect(types).toEqual(['start', 'start-step', 'text-start', 'text-end', 'error', 'finish-step', 'finish'])
    expect(body.endsWith('data: [DONE]\n\n')).toBe(true)
    const told = await toResponse(failing(), { client, errorText: error => String(error) }).text()
    expect(told).toContain('1234')
  },
)

test('chunks that just stop are an error', async () => {
  const message = await readWithArgot(toResponse([start(), startStep], { client: 'argot' }))
  expect(message).toMatchObject({ status: 'error', errorText: 'The answer could not be completed.' })
})

test('a reader who leaves ends the chunks, also while the next one is waited for', async () => {
  let left = false
  const chunks: AsyncIterable<Chunk> = {
    [Symbol.asyncIterator]: () => {
      let count = 0
      return {
        next: () => (count++ === 0 ? Promise.resolve({ done: false, value: start() }) : new Promise(() => {})),
        return: async () => {
          left = true
          return { done: true, value: undefined }
        },
      }
    },
  }
  const reader = toResponse(chunks).body!.getReader()
  await reader.read()
  const waiting = reader.read()
  await reader.cancel()
  expect(left).toBe(true)
  expect((await waiting).done).toBe(true)
})

test('a silent connection is kept open by comments, which clients ignore', async () => {
  let finish = (): void => {}
  const silence = new Promise<void>(resolve => {
    finish = resolve
  })
  async function* slow(): AsyncGenerator<Chunk> {
    yield start()
    await silence
    yield* approved.slice(1)
  }
  const [one, two] = toResponse(slow(), { keepAliveMs: 1 }).body!.tee()
  const decoder = new TextDecoder()
  const reader = one.getReader()
  let seen = ''
  while (!seen.includes(': keep-alive')) seen += decoder.decode((await reader.read()).value)
  finish()
  // Of two branches the first to leave waits for the other.
  const left = reader.cancel()
  const { message, errors } = await readWithUseChat(new Response(two))
  expect(errors).toEqual([])
  expect(message?.parts).toHaveLength(5)
  await left
})
