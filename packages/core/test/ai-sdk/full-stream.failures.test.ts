import { accumulate, type Chunk, fromFullStream, type Message, toolCalls, toUIMessage } from '@argot/core'
import { stepCountIs, streamText, tool } from 'ai'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { FullStreamPart } from '../../src/ai-sdk/full-stream.ts'
import { everyMoment, expectValid } from '../stream/clients.ts'

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 4, text: 4, reasoning: 0 },
}
const end = (unified: string): object => ({ type: 'finish', finishReason: { unified, raw: unified }, usage })
const say = (id: string, text: string): object[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: text },
  { type: 'text-end', id },
]
const calls = (toolCallId: string, toolName: string, input: string): object[] => [
  { type: 'tool-input-start', id: toolCallId, toolName },
  { type: 'tool-input-delta', id: toolCallId, delta: input.slice(0, 3) },
  { type: 'tool-input-delta', id: toolCallId, delta: input.slice(3) },
  { type: 'tool-input-end', id: toolCallId },
  { type: 'tool-call', toolCallId, toolName, input },
]

/** A reply with everything in it: reasoning, text, a call that streams, one that does not, and text after them. */
const reply: readonly object[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r' },
  ...say('1', 'Let me look. '),
  ...calls('c1', 'look', '{"at":"x"}'),
  { type: 'tool-call', toolCallId: 'c2', toolName: 'nothing', input: '{}' },
  ...say('2', 'I wait.'),
  end('tool-calls'),
]

const tools = {
  look: tool({ inputSchema: z.object({ at: z.string() }), execute: async ({ at }) => `seen ${at}` }),
  nothing: tool({ inputSchema: z.object({}), execute: async () => null }),
}

type Reply = ReadableStream<never>
const boom = new Error('boom')

/** A first reply that fails as it is told to, and a second one that does not. */
function run(first: () => Reply, signal?: AbortSignal): AsyncIterable<FullStreamPart> {
  let turn = 0
  const model = new MockLanguageModelV3({
    doStream: async () => ({ stream: turn++ === 0 ? first() : stream([...say('3', 'All is well.'), end('stop')]) }),
  })
  const { fullStream } = streamText({
    model,
    tools,
    prompt: 'x',
    stopWhen: stepCountIs(3),
    onError: () => {},
    ...(signal && { abortSignal: signal }),
  })
  return fullStream as AsyncIterable<FullStreamPart>
}

function stream(parts: readonly object[]): Reply {
  return simulateReadableStream({ chunks: parts as never[] })
}

/** The parts one by one, then an error of the stream itself, or its end. */
function breaking(parts: readonly object[], isError: boolean): Reply {
  let next = 0
  return new ReadableStream<never>({
    pull(controller) {
      if (next < parts.length) controller.enqueue(parts[next++] as never)
      else if (isError) controller.error(boom)
      else controller.close()
    },
  })
}

/** Reads the events, and what becomes of them. */
async function read(events: AsyncIterable<FullStreamPart>) {
  const parts: FullStreamPart[] = []
  async function* noted(): AsyncGenerator<FullStreamPart> {
    for await (const part of events) {
      parts.push(part)
      yield part
    }
  }
  const chunks: Chunk[] = []
  for await (const chunk of fromFullStream(noted(), { messageId: 'm1' })) chunks.push(chunk)
  const fold = accumulate()
  for (const chunk of chunks) fold.push(chunk)
  fold.end()
  return { parts, chunks, fold, message: fold.message! }
}

/** What holds however a stream ends. */
async function expectWhole({ parts, chunks, fold, message }: Awaited<ReturnType<typeof read>>): Promise<void> {
  expect(fold.diagnostics).toEqual([])
  expectOrder(chunks)
  await everyMoment(chunks)
  expect(textOf(message, 'text')).toBe(saidIn(parts, 'text-delta'))
  expect(textOf(message, 'reasoning')).toBe(saidIn(parts, 'reasoning-delta'))
  expect(message.parts.filter(part => part.type === 'text')).toHaveLength(count(parts, 'text-start'))
  const results = parts.filter(part => part.type === 'tool-result')
  for (const { toolCallId, output } of results) {
    const call = toolCalls(message).find(one => one.toolCallId === toolCallId)
    expect(call).toMatchObject({ state: 'output-available', output })
  }
  for (const { state } of toolCalls(message)) expect(['output-available', 'output-error']).toContain(state)
}

/** Settlements, ends of texts, the error, the end of the step, the end of the message, and nothing after it. */
function expectOrder(chunks: readonly Chunk[]): void {
  const types = chunks.map(({ type }) => type)
  expect(types[0]).toBe('start')
  expect(['finish', 'abort']).toContain(types.at(-1))
  expect(types.filter(type => type === 'finish' || type === 'abort')).toHaveLength(1)
  expect(count(chunks, 'start-step')).toBe(count(chunks, 'finish-step'))
  const error = types.indexOf('error')
  if (error !== -1) expect(['finish', 'finish-step finish']).toContain(types.slice(error + 1).join(' '))
}

function count(parts: readonly { type: string }[], type: string): number {
  return parts.filter(part => part.type === type).length
}

function saidIn(parts: readonly FullStreamPart[], type: string): string {
  return parts.flatMap(part => (part.type === type ? [String(part.text)] : [])).join('')
}

function textOf({ parts }: Message, type: 'text' | 'reasoning'): string {
  return parts.flatMap(part => (part.type === type ? [part.text] : [])).join('')
}

const places = reply.map((_, index) => index).concat(reply.length)

describe.each(places)('with %i parts of the reply of a provider read', place => {
  const before = reply.slice(0, place)
  const error = { type: 'error', error: boom }

  test('an error does not lose what follows it', async () => {
    const seen = await read(run(() => stream([...before, error, ...reply.slice(place)])))
    await expectWhole(seen)
    expect(seen.message).toMatchObject({ status: 'error', errorText: 'boom', finishReason: 'stop' })
    expect(toolCalls(seen.message)).toMatchObject([{ output: 'seen x' }, { output: null }])
    expect(textOf(seen.message, 'text')).toBe('Let me look. I wait.All is well.')
  })

  test.each([
    ['the end that providers give it', [error, end('error')]],
    ['nothing more', [error]],
  ])('an error with %s ends the message', async (_, rest) => {
    const seen = await read(run(() => stream([...before, ...rest])))
    await expectWhole(seen)
    expect(seen.message).toMatchObject({ status: 'error', errorText: 'boom' })
  })

  test.each([
    ['a connection that breaks', true],
    ['a stream that just ends', false],
  ])('%s ends the message', async (_, isError) => {
    const seen = await read(run(() => breaking(before, isError)))
    await expectWhole(seen)
    if (isError) expect(seen.message).toMatchObject({ status: 'error', errorText: 'boom' })
  })
})

/** How many events a stream without failures has. */
const events = 40

test.each(Array.from({ length: events }, (_, index) => index))(
  'an abort after %i events ends the message',
  async index => {
    const stop = new AbortController()
    async function* stopped(): AsyncGenerator<FullStreamPart> {
      let seen = 0
      if (index === 0) stop.abort()
      for await (const part of run(() => stream(reply), stop.signal)) {
        yield part
        if (++seen === index) stop.abort()
      }
    }
    const seen = await read(stopped())
    await expectWhole(seen)
    const isDone = seen.parts.at(-1)?.type === 'finish'
    expect(seen.message.status).toBe(isDone ? 'sent' : 'cancelled')
  },
)

test.each([
  ['null', null],
  ['undefined', undefined],
  ['false', false],
  ['an empty text', ''],
])('an output that is %s is one', async (_, value) => {
  async function* given(): AsyncGenerator<FullStreamPart> {
    yield { type: 'start' }
    yield { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: null }
    yield { type: 'tool-result', toolCallId: 'c1', toolName: 'x', input: null, output: value }
    yield { type: 'finish', finishReason: 'stop' }
  }
  const seen = await read(given())
  await everyMoment(seen.chunks)
  const call = toolCalls(seen.message)[0]!
  expect(call).toMatchObject({ state: 'output-available', input: null })
  expect(call.output).toBe(value)
  await expectValid(JSON.parse(JSON.stringify(toUIMessage(seen.message))))
})
