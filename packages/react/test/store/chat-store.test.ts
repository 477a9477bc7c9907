import { accumulate, type Chunk, type Message, toolCalls } from '@argot/core'
import { type ChatEvent, ChatStore } from '@argot/react'
import type { ChatOnToolCallPayload, ChatStream } from '@argot/react/types'
import { expect, test } from 'vitest'
import { ScriptedAdapter, settle } from './scripted-adapter.ts'

function open(options: Partial<ConstructorParameters<typeof ChatStore>[0]> = {}): {
  adapter: ScriptedAdapter
  store: ChatStore
} {
  const adapter = new ScriptedAdapter()
  let ids = 0
  const store = new ChatStore({
    adapter,
    streamFlushInterval: 0,
    nextId: () => `u${++ids}`,
    now: () => 1000,
    ...options,
  })
  return { adapter, store }
}

const asks: Chunk[] = [
  { type: 'start', messageId: 'a1' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'delete_files' },
  { type: 'tool-input-available', toolCallId: 'c1', toolName: 'delete_files', input: { paths: ['a'] } },
  { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'p1' },
]

test('what an adapter streams is in the conversation', async () => {
  const { adapter, store } = open()
  store.submit({ text: 'Hello' })
  adapter.say(
    { type: 'start', messageId: 'a1' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hi ' },
    { type: 'text-delta', id: 't', delta: 'there' },
  )
  await settle()
  expect(store.status.get()).toBe('streaming')
  adapter.say({ type: 'text-end', id: 't' }, { type: 'finish' })
  adapter.close()
  await settle()
  expect(store.status.get()).toBe('ready')
  expect(store.conversation.messages()).toMatchObject([
    { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
    { id: 'a1', role: 'assistant', status: 'sent', parts: [{ type: 'text', text: 'Hi there', phase: 'final' }] },
  ])
})

test('a message that is sent before the history has come waits for it, and follows it', async () => {
  const adapter = new ScriptedAdapter()
  let give = (): void => {}
  const listMessages = () =>
    new Promise<{ messages: Message[] }>(resolve => {
      give = () => resolve({ messages: [{ id: 'old', role: 'user', status: 'sent', parts: [] }] })
    })
  const { store } = open({
    adapter: Object.assign(adapter, { listMessages }),
    conversationId: 'c',
    nextId: () => 'new',
  })
  void store.join()
  store.submit({ text: 'Hello' })
  await settle()
  expect(adapter.sent).toEqual([])
  expect(store.queue.get()).toMatchObject([{ text: 'Hello' }])
  give()
  await settle()
  expect(adapter.sent).toEqual(['Hello'])
  expect(store.conversation.ids.get()).toEqual(['old', 'new'])
  expect(store.queue.get()).toEqual([])
})

test('what was said elsewhere is shown where a run of somebody else is joined, and nothing twice', async () => {
  const say = (id: string, role: 'user' | 'assistant', text: string): Message => ({
    id,
    role,
    status: 'sent',
    parts: [{ type: 'text', id: '0', text, state: 'done' }],
  })
  const kept = [say('a0', 'assistant', 'Hi'), say('user-1', 'user', 'Mine'), say('user-2', 'user', 'Theirs')]
  const adapter = Object.assign(new ScriptedAdapter(), { listMessages: async () => ({ messages: kept }) })
  // The message of this page has an id of its own here; its run said nothing.
  const initialMessages = [say('a0', 'assistant', 'Hi'), say('u1', 'user', 'Mine')]
  const { store } = open({ adapter, conversationId: 'c', initialMessages })
  await store.join()
  expect(store.conversation.ids.get()).toEqual(['a0', 'u1'])
  await store.join({ hasNews: true })
  await store.join({ hasNews: true })
  expect(store.conversation.ids.get()).toEqual(['a0', 'u1', 'user-2'])
  // A question whose answer was heard first comes before it.
  kept.push(say('user-3', 'user', 'Late'), say('a3', 'assistant', 'Early'))
  store.setMessages([...store.conversation.messages(), kept.at(-1)!])
  await store.join({ hasNews: true })
  expect(store.conversation.ids.get()).toEqual(['a0', 'u1', 'user-2', 'user-3', 'a3'])
})

test('a run that begins elsewhere while the page still joins is joined after that', async () => {
  const adapter = new ScriptedAdapter()
  const looks: (() => void)[] = []
  let isOn = false
  adapter.reconnectToStream = async () => {
    const was = isOn
    await new Promise<void>(resolve => looks.push(resolve))
    return was ? adapter.open() : null
  }
  const { store } = open({ adapter, conversationId: 'c' })
  void store.join()
  await settle()
  // The server was asked before there was a run, and answers when there is one.
  isOn = true
  void store.join({ hasNews: true })
  looks.shift()!()
  await settle()
  looks.shift()?.()
  await settle()
  expect(adapter.streams).toHaveLength(1)
  expect(looks).toEqual([])
})

test('a run that begins elsewhere while this page has one of its own is joined after that', async () => {
  const adapter = new ScriptedAdapter()
  let looks = 0
  adapter.reconnectToStream = async () => (looks++ === 0 ? adapter.open() : null)
  const { store } = open({ adapter, conversationId: 'c' })
  store.submit({ text: 'Mine' })
  adapter.say({ type: 'start', messageId: 'a1' })
  await settle()
  await store.join({ hasNews: true })
  expect(looks).toBe(0)
  adapter.say({ type: 'finish' })
  adapter.close()
  await settle()
  expect(looks).toBe(1)
  adapter.say({ type: 'start', messageId: 'theirs' }, { type: 'text-start', id: 't' })
  await settle()
  expect(store.conversation.ids.get()).toEqual(['u1', 'a1', 'theirs'])
  adapter.close()
  await settle()
  // Nothing is looked for a second time.
  expect(looks).toBe(1)
})

test('news are not forgotten where this page sends something while it looks for them', async () => {
  const adapter = new ScriptedAdapter()
  const found: ((stream: ChatStream | null) => void)[] = []
  const signals: (AbortSignal | undefined)[] = []
  adapter.reconnectToStream = ({ signal }) => {
    signals.push(signal)
    return new Promise(resolve => found.push(resolve))
  }
  const { store } = open({ adapter, conversationId: 'c' })
  void store.join({ hasNews: true })
  await settle()
  store.submit({ text: 'Mine' })
  await settle()
  expect(signals[0]!.aborted).toBe(true)
  let isLeft = false
  const theirs: ChatStream = new ReadableStream({
    cancel() {
      isLeft = true
    },
  })
  found.shift()!(theirs)
  await settle()
  expect(isLeft).toBe(true)
  adapter.say({ type: 'start', messageId: 'a1' }, { type: 'finish' })
  adapter.close()
  await settle()
  expect(found).toHaveLength(1)
})

test('a message that is sent while the files of another one are read waits for its turn', async () => {
  const { adapter, store } = open()
  const file = new File(['x'.repeat(1000)], 'a.txt', { type: 'text/plain' })
  store.submit({ text: 'one', attachments: [{ localId: 'f', file }] })
  store.submit({ text: 'two' })
  await settle()
  expect(adapter.sent).toEqual(['one'])
  expect(store.queue.get()).toMatchObject([{ text: 'two' }])
  adapter.say({ type: 'start', messageId: 'a1' }, { type: 'finish' })
  adapter.close()
  await settle()
  expect(adapter.sent).toEqual(['one', 'two'])
  expect(adapter.streams).toHaveLength(2)
})

test('a message that is stopped while its files are read is not sent', async () => {
  const { adapter, store } = open()
  const file = new File(['x'], 'a.txt', { type: 'text/plain' })
  store.submit({ text: 'one', attachments: [{ localId: 'f', file }] })
  store.stop()
  await settle()
  expect(adapter.sent).toEqual([])
  expect(store.isRunning).toBe(false)
  expect(store.conversation.messages()[0]).toMatchObject({ role: 'user', parts: [{ text: 'one' }] })
})

test('a run that is found only after this page has sent something does not take its place', async () => {
  const adapter = new ScriptedAdapter()
  let found = (_: ChatStream | null): void => {}
  adapter.reconnectToStream = () =>
    new Promise(resolve => {
      found = resolve
    })
  const { store } = open({ adapter, conversationId: 'c' })
  void store.join()
  await settle()
  store.submit({ text: 'Hello' })
  await settle()
  const elsewhere = adapter.open()
  adapter.say({ type: 'start', messageId: 'other' }, { type: 'finish' })
  found(elsewhere)
  await settle()
  expect(store.isRunning).toBe(true)
  expect(store.conversation.ids.get()).toEqual(['u1'])
})

test('a queued message that is being edited waits until its own editing is over', async () => {
  const { adapter, store } = open()
  store.submit({ text: 'one' })
  store.submit({ text: 'two' })
  store.submit({ text: 'three' })
  const [two, three] = store.queue.get()
  store.queue.hold(two!.id)
  adapter.say({ type: 'start', messageId: 'a1' }, { type: 'finish' })
  adapter.close()
  await expect.poll(() => store.isRunning).toBe(false)
  store.releaseQueued(three!.id)
  await settle()
  expect(adapter.sent).toEqual(['one'])
  store.releaseQueued(two!.id)
  await settle()
  expect(adapter.sent).toEqual(['one', 'two'])
})

test('those who follow one part are told of that part only', async () => {
  const { adapter, store } = open()
  store.submit({ text: 'Hello' })
  adapter.say(
    { type: 'start', messageId: 'a1' },
    { type: 'text-start', id: 't1' },
    { type: 'text-start', id: 't2' },
    { type: 'text-delta', id: 't1', delta: 'a' },
    { type: 'text-delta', id: 't2', delta: 'b' },
  )
  await settle()
  const told: string[] = []
  const record = store.conversation.record('a1')!
  record.at(0).subscribe(() => told.push('first'))
  record.at(1).subscribe(() => told.push('second'))
  record.headTopic.subscribe(() => told.push('head'))
  record.countTopic.subscribe(() => told.push('count'))
  store.conversation.record('u1')!.anyTopic.subscribe(() => told.push('other message'))
  adapter.say({ type: 'text-delta', id: 't2', delta: 'c' })
  await settle()
  expect(told).toEqual(['second'])
  expect(record.part(1)).toMatchObject({ text: 'bc' })
})

test('a message that is sent while a run is on waits for its end', async () => {
  const { adapter, store } = open()
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a1' })
  await settle()
  store.submit({ text: 'two' })
  expect(store.queue.get()).toMatchObject([{ text: 'two' }])
  adapter.say({ type: 'finish' })
  adapter.close()
  await settle()
  expect(adapter.sent).toEqual(['one', 'two'])
  expect(store.queue.get()).toEqual([])
})

test('a queue outlives a reload where the conversation has an id', async () => {
  const kept = new Map<string, string>()
  const queueStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  const { store } = open({ conversationId: 'c', queueStorage })
  store.submit({ text: 'one' })
  store.submit({ text: 'two' })
  expect(open({ conversationId: 'c', queueStorage }).store.queue.get()).toMatchObject([{ text: 'two' }])
  expect(open({ conversationId: 'd', queueStorage }).store.queue.get()).toEqual([])
})

test('a stopped run keeps what was said, settles its calls, and leaves the queue alone', async () => {
  const { adapter, store } = open()
  store.submit({ text: 'one' })
  adapter.say(...asks)
  await settle()
  store.queue.add({ id: 'q', text: 'later' })
  store.stop()
  await settle()
  expect(store.conversation.messages()[1]).toMatchObject({
    status: 'cancelled',
    parts: [{ toolInvocation: { state: 'output-error', settledBy: 'abort' } }],
  })
  expect(store.conversation.pending.get()).toEqual([])
  expect(adapter.sent).toEqual(['one'])
  expect(store.queue.get()).toHaveLength(1)
})

test('an answer is passed on once, and the stream that is open continues the call', async () => {
  const { adapter, store } = open()
  store.submit({ text: 'one' })
  adapter.say(...asks)
  await settle()
  expect(store.conversation.pending.get()).toMatchObject([{ callKey: 'a1/c1', kind: 'approval' }])
  void store.answer('a1/c1', { approved: true })
  void store.answer('a1/c1', { approved: false })
  expect(store.conversation.pending.get()).toEqual([])
  await settle()
  expect(adapter.answers).toMatchObject([{ id: 'p1', approved: true, toolCallId: 'c1' }])
  expect(store.conversation.call('a1/c1')).toMatchObject({ state: 'approval-responded', approval: { approved: true } })
  adapter.say({ type: 'tool-output-available', toolCallId: 'c1', output: 'done' }, { type: 'finish' })
  adapter.close()
  await settle()
  expect(store.conversation.call('a1/c1')).toMatchObject({ state: 'output-available', output: 'done' })
})

test('a text that is sent while calls ask denies them with that text, and an attachment does not', async () => {
  const { adapter, store } = open()
  store.submit({ text: 'one' })
  adapter.say(...asks)
  await settle()
  store.submit({ text: 'with a file', attachments: [{ localId: 'f', file: new File(['x'], 'x.txt') }] })
  expect(adapter.answers).toEqual([])
  expect(store.queue.get()).toHaveLength(1)
  store.submit({ text: 'Keep b' })
  await settle()
  expect(adapter.answers).toMatchObject([{ id: 'p1', approved: false, reason: 'Keep b' }])
})

test('a parked message is continued by the stream that an answer gives, and its calls keep their times', async () => {
  const { adapter, store } = open()
  adapter.addToolApprovalResponse = async () => adapter.open()
  store.submit({ text: 'one' })
  adapter.say(...asks, { type: 'finish', finishReason: 'tool-calls' })
  adapter.close()
  await settle()
  expect(store.isRunning).toBe(false)
  const before = store.conversation.call('a1/c1')!.startedAt
  void store.answer('a1/c1', { approved: true, input: { paths: ['b'] } })
  await settle()
  adapter.say({ type: 'start' }, { type: 'tool-output-available', toolCallId: 'c1', output: 'ok' }, { type: 'finish' })
  adapter.close()
  // What continues a message is loaded when it is needed.
  await expect.poll(() => store.conversation.call('a1/c1')?.state).toBe('output-available')
  expect(store.conversation.ids.get()).toEqual(['u1', 'a1'])
  expect(store.conversation.call('a1/c1')).toMatchObject({
    state: 'output-available',
    output: 'ok',
    input: { paths: ['b'] },
    rawInput: { paths: ['a'] },
    startedAt: before,
  })
})

test('an answer that somebody else gave first is shown in place of ours', async () => {
  const { adapter, store } = open()
  adapter.addToolApprovalResponse = () =>
    Promise.reject(Object.assign(new Error('taken'), { status: 409, approval: { approved: false, by: 'Ada' } }))
  store.submit({ text: 'one' })
  adapter.say(...asks)
  await settle()
  await store.answer('a1/c1', { approved: true })
  expect(store.conversation.call('a1/c1')).toMatchObject({ approval: { approved: false, by: 'Ada' } })
})

test('an answer that could not be given can be given again', async () => {
  const { adapter, store } = open()
  const errors: string[] = []
  store.update({ adapter, onError: error => errors.push(error.message) })
  adapter.addToolApprovalResponse = () => Promise.reject(new Error('offline'))
  store.submit({ text: 'one' })
  adapter.say(...asks)
  await settle()
  await store.answer('a1/c1', { approved: true })
  expect(errors).toEqual(['offline'])
  expect(store.conversation.pending.get()).toHaveLength(1)
  expect(store.conversation.ui('a1/c1').error).toBe('offline')
})

test('callbacks hear each state once, and what they throw stays with them', async () => {
  const heard: string[] = []
  const data: unknown[] = []
  const errors: string[] = []
  const { adapter, store } = open({
    onToolCall: ({ toolCall, replayed }: ChatOnToolCallPayload) => {
      heard.push(`${toolCall.state} ${replayed}`)
      throw new Error('mine')
    },
    onData: part => data.push(part),
    onError: ({ code }) => errors.push(code),
  })
  store.submit({ text: 'one' })
  adapter.say(
    ...asks,
    { type: 'data-note', data: 1, transient: true },
    { type: 'tool-output-denied', toolCallId: 'c1' },
    { type: 'finish' },
  )
  adapter.close()
  await settle()
  expect(heard).toEqual([
    'input-streaming false',
    'input-available false',
    'approval-requested false',
    'output-denied false',
  ])
  expect(data).toEqual([{ type: 'data-note', data: 1, transient: true, replayed: false }])
  expect(new Set(errors)).toEqual(new Set(['CALLBACK_ERROR']))
  expect(store.conversation.messages()[1]!.status).toBe('sent')
})

test('a stream that is opened again tells nothing twice', async () => {
  const heard: string[] = []
  const data: unknown[] = []
  const { adapter, store } = open({
    onToolCall: ({ toolCall, replayed }) => heard.push(`${toolCall.state} ${replayed}`),
    onData: ({ data: one, replayed }) => data.push([one, replayed]),
  })
  adapter.reconnectToStream = async () => adapter.open()
  store.submit({ text: 'one' })
  adapter.say(...asks, { type: 'data-note', data: 1 })
  await settle()
  adapter.fail(new Error('gone'))
  await settle()
  expect(store.lost.get()).toBeDefined()
  store.retryNow()
  await settle()
  adapter.say(...asks, { type: 'data-note', data: 1 }, { type: 'data-note', data: 2 })
  adapter.say({ type: 'tool-output-denied', toolCallId: 'c1' }, { type: 'finish' })
  adapter.close()
  await settle()
  expect(heard).toEqual([
    'input-streaming false',
    'input-available false',
    'approval-requested false',
    'output-denied true',
  ])
  expect(data).toEqual([
    [1, false],
    [2, true],
  ])
  expect(store.conversation.messages()).toHaveLength(2)
  expect(store.conversation.messages()[1]!.parts).toHaveLength(3)
})

test('numbered chunks go on where they were after a lost connection', async () => {
  const { adapter, store } = open()
  adapter.reconnectToStream = async () => adapter.open()
  const numbered = [
    ...asks.slice(0, 1),
    { type: 'text-start', id: 't' } as const,
    { type: 'text-delta', id: 't', delta: 'one ' } as const,
    { type: 'text-delta', id: 't', delta: 'two' } as const,
    { type: 'finish' } as const,
  ].map((chunk, sequence) => ({ sequence, chunk }))
  store.submit({ text: 'one' })
  adapter.say(...numbered.slice(0, 3))
  await settle()
  adapter.fail(new Error('gone'))
  await settle()
  store.retryNow()
  await settle()
  adapter.say(...numbered.slice(2))
  adapter.close()
  await settle()
  expect(store.conversation.messages()[1]).toMatchObject({ status: 'sent', parts: [{ text: 'one two' }] })
})

test('history is shown and nobody is told of it', async () => {
  const heard: unknown[] = []
  const events: ChatEvent[] = []
  const { store } = open({
    onToolCall: payload => heard.push(payload),
    initialMessages: [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      {
        id: 'a',
        role: 'assistant',
        parts: [
          {
            type: 'tool',
            toolInvocation: { toolCallId: 'c', toolName: 'constructor', state: 'approval-requested', approvalId: 'p' },
          },
          { type: 'tool-read', toolCallId: 'd', state: 'output-available', output: 'x' },
        ],
      },
    ],
  })
  store.onEvent(event => events.push(event))
  expect(store.conversation.call('a/c')).toMatchObject({ toolName: 'constructor', approval: { id: 'p' } })
  expect(store.conversation.call('a/d')).toMatchObject({ toolName: 'read', output: 'x' })
  expect(store.conversation.pending.get()).toMatchObject([{ callKey: 'a/c' }])
  await settle()
  expect(heard).toEqual([])
  expect(events).toEqual([])
})

test('events mark the boundaries of a run', async () => {
  const { adapter, store } = open()
  const events: string[] = []
  store.onEvent(event => events.push(event.type === 'run-ended' ? event.how : event.type))
  store.submit({ text: 'one' })
  adapter.say(...asks, { type: 'tool-output-error', toolCallId: 'c1', errorText: 'no' }, { type: 'finish' })
  adapter.close()
  await settle()
  expect(events).toEqual(['run-started', 'call-failed', 'complete'])
})

test('an adapter that fails to send leaves an error that can be tried again', async () => {
  const { adapter, store } = open()
  adapter.sendMessage = () => Promise.reject(new Error('no network'))
  store.submit({ text: 'one' })
  await settle()
  expect(store.error.get()).toMatchObject({ code: 'SEND_ERROR', message: 'no network', retryable: true })
  expect(store.status.get()).toBe('ready')
})

test('calls of a message from elsewhere have the keys that the live stream gives them', () => {
  const ids = ['a', 'a#2', 'a', 'a#2', 'b']
  const parts = ids.map(toolCallId => ({ type: 'tool-t', toolCallId, state: 'input-available', input: {} }))
  const { store } = open({ initialMessages: [{ id: 'a1', role: 'assistant', parts }] as never })
  const fold = accumulate()
  fold.push({ type: 'start', messageId: 'a1' })
  for (const toolCallId of ids) fold.push({ type: 'tool-input-start', toolCallId, toolName: 't' })
  const keys = toolCalls(store.conversation.messages()[0]!).map(({ key }) => key)
  expect(keys).toEqual(toolCalls(fold.message!).map(({ key }) => key))
})
