import { accumulate, type Chunk, fromFullStream, toChatMessage, toolCalls } from '@argot/core'
import { stepCountIs, streamText, tool } from 'ai'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { FullStreamPart } from '../../src/ai-sdk/full-stream.ts'

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 4, text: 4, reasoning: 0 },
}

/** A model that says something, calls a tool, and then answers. */
function model(...replies: object[][]): MockLanguageModelV3 {
  let turn = 0
  return new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({ chunks: replies[turn++]! as never[] }),
    }),
  })
}

const say = (text: string): object[] => [
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: text },
  { type: 'text-end', id: '0' },
]
const end = (unified: string): object => ({ type: 'finish', finishReason: { unified, raw: unified }, usage })

async function collect(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

test('the fullStream of streamText folds to the message with its commentary', async () => {
  const result = streamText({
    model: model(
      [
        ...say('Let me look. '),
        { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{"city":"Paris"}' },
        end('tool-calls'),
      ],
      [...say('It is sunny.'), end('stop')],
    ),
    prompt: 'How is the weather?',
    stopWhen: stepCountIs(3),
    tools: { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => ({ sunny: true }) }) },
  })
  const chunks = await collect(fromFullStream(result.fullStream as AsyncIterable<FullStreamPart>, { messageId: 'm1' }))
  const accumulator = accumulate()
  for (const chunk of chunks) accumulator.push(chunk)
  accumulator.end()
  expect(accumulator.diagnostics).toEqual([])
  expect(toChatMessage(accumulator.message!)).toMatchObject({
    id: 'm1',
    content: 'It is sunny.',
    toolCalls: [
      {
        name: 'weather',
        args: { city: 'Paris' },
        result: { sunny: true },
        status: 'completed',
        commentary: 'Let me look.',
      },
    ],
  })
  expect(accumulator.message).toMatchObject({
    status: 'sent',
    finishReason: 'stop',
    metadata: { usage: { totalTokens: 14 } },
  })
})

test('a tool that throws, and input that its schema refuses, end as errors', async () => {
  const result = streamText({
    model: model(
      [
        { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{"city":"Paris"}' },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'weather', input: '{"town":1}' },
        end('tool-calls'),
      ],
      [...say('Sorry.'), end('stop')],
    ),
    prompt: 'x',
    stopWhen: stepCountIs(3),
    tools: {
      weather: tool({
        inputSchema: z.object({ city: z.string() }),
        execute: async (): Promise<string> => {
          throw new Error('no network')
        },
      }),
    },
  })
  const accumulator = accumulate()
  for await (const chunk of fromFullStream(result.fullStream as AsyncIterable<FullStreamPart>)) accumulator.push(chunk)
  accumulator.end()
  expect(toolCalls(accumulator.message!)).toMatchObject([
    { toolCallId: 'c1', state: 'output-error', errorText: 'no network' },
    { toolCallId: 'c2', state: 'output-error', rawInput: { town: 1 } },
  ])
})

test('a stream that throws in the middle ends in order', async () => {
  async function* broken(): AsyncGenerator<FullStreamPart> {
    yield { type: 'start' }
    yield { type: 'start-step' }
    yield { type: 'text-start', id: '0' }
    yield { type: 'tool-input-start', id: 'c1', toolName: 'x' }
    throw new Error('connection lost')
  }
  const chunks = await collect(fromFullStream(broken(), { messageId: 'm' }))
  expect(chunks.map(chunk => chunk.type)).toEqual([
    'start',
    'start-step',
    'text-start',
    'tool-input-start',
    'tool-output-error',
    'text-end',
    'error',
    'finish-step',
    'finish',
  ])
  expect(chunks.at(-1)).toEqual({ type: 'finish', messageId: 'm', finishReason: 'error' })
})

test('a stream that just stops is an error too, an empty one as well', async () => {
  async function* nothing(): AsyncGenerator<FullStreamPart> {}
  expect((await collect(fromFullStream(nothing()))).map(chunk => chunk.type)).toEqual(['start', 'error', 'finish'])
})

test('abort settles what is open', async () => {
  async function* aborted(): AsyncGenerator<FullStreamPart> {
    yield { type: 'start' }
    yield { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: {} }
    yield { type: 'abort' }
  }
  expect(await collect(fromFullStream(aborted(), { messageId: 'm' }))).toMatchObject([
    { type: 'start' },
    { type: 'tool-input-available' },
    { type: 'tool-output-error', toolCallId: 'c1', providerMetadata: { argot: { settledBy: 'abort' } } },
    { type: 'abort', messageId: 'm' },
  ])
})
