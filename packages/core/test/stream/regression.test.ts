import {
  accumulate,
  type Chunk,
  fromUIMessage,
  type Message,
  replay,
  type ToolInvocation,
  toolCalls,
  toUIMessage,
} from '@argot/core'
import { limits, messageToChunks, PartialJson } from '@argot/core/stream'
import { type AccumulatorState, type CommentaryPolicy, OpenParts } from '@argot/core/stream/internal'
import { describe, expect, test } from 'vitest'
import { throughCommentary } from './arbitrary.ts'
import { fold, folder } from './laws.ts'

/** Chunks as nobody should write them. */
function wild(...items: unknown[]): Chunk[] {
  return items as Chunk[]
}

function cyclic(): Record<string, unknown> {
  const self: Record<string, unknown> = {}
  self.self = self
  return self
}

function texts(message: Message | undefined): string[] {
  return (message?.parts ?? []).flatMap(part => (part.type === 'text' ? [part.text] : []))
}

function onlyCall(chunks: readonly Chunk[]): ToolInvocation {
  return toolCalls(fold(chunks)[0]!)[0]!
}

const start: Chunk = { type: 'start', messageId: 'm' }
const callStart: Chunk = { type: 'tool-input-start', toolCallId: 'c', toolName: 'search' }
const available: Chunk = { type: 'tool-input-available', toolCallId: 'c', toolName: 'search', input: { q: 1 } }
const output: Chunk = { type: 'tool-output-available', toolCallId: 'c', output: 'done' }

function piece(inputTextDelta: string): Chunk {
  return { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta }
}

describe('values that JSON does not have', () => {
  test.each([
    ['metadata that contains itself', { type: 'text-start', id: 't', providerMetadata: cyclic() }],
    [
      'a result without a call that contains itself',
      { type: 'tool-output-available', toolCallId: 'c', output: cyclic() },
    ],
    [
      'a held envelope that contains itself',
      { sequence: 5, chunk: { type: 'file', mediaType: 'm', url: 'u', more: cyclic() } },
    ],
    ['an input with a bigint', { type: 'tool-input-available', toolCallId: 'c', toolName: 't', input: { n: 10n } }],
    [
      'a source with a foreign field that contains itself',
      { type: 'source-url', sourceId: 's', url: 'u', more: cyclic() },
    ],
  ])('%s can be saved', (_, item) => {
    const folding = folder()
    for (const chunk of wild(start, item)) folding.push(chunk)
    expect(() => JSON.stringify(folding.toJSON())).not.toThrow()
    for (const part of folding.message?.parts ?? []) expect(part).toHaveProperty('type')
  })

  test('a lone surrogate in an id or in metadata becomes U+FFFD with a diagnostic', () => {
    const folding = folder()
    for (const chunk of wild(start, {
      type: 'reasoning-start',
      id: '\ud800',
      providerMetadata: { a: { b: '\udc00' } },
    }))
      folding.push(chunk)
    expect(folding.message?.parts[0]).toMatchObject({ id: '\ufffd', providerMetadata: { a: { b: '\ufffd' } } })
    expect(folding.counts.get('STREAM_LONE_SURROGATE')).toBe(2)
  })

  test('a callback that throws something without a text is reported', () => {
    const folding = accumulate({
      onToolCall: () => {
        throw Object.create(null)
      },
    })
    for (const chunk of [start, callStart]) folding.push(chunk)
    expect(folding.counts.get('STREAM_CALLBACK_FAILED')).toBe(1)
  })
})

describe('calls', () => {
  test('a result that came before its call leaves the call dynamic', () => {
    const [message] = fold([start, output, { ...callStart, dynamic: true } as Chunk, available])
    expect(message?.parts[0]?.type).toBe('dynamic-tool')
    expect(toolCalls(message!)[0]).toMatchObject({ state: 'output-available', input: { q: 1 }, output: 'done' })
  })

  test('a model that uses our own key as an id gets two keys', () => {
    const ids = ['a', 'a#2', 'a']
    const chunks = ids.map(toolCallId => ({ type: 'tool-input-start', toolCallId, toolName: 't' }) as const)
    const keys = toolCalls(fold([start, ...chunks])[0]!).map(call => call.key)
    expect(new Set(keys).size).toBe(3)
  })

  test('a name that is too long is reported once, however often it comes', () => {
    const toolName = 'n'.repeat(limits.nameLength + 1)
    const folding = folder()
    for (const chunk of [start, callStart, available]) folding.push({ ...chunk, toolName } as Chunk)
    expect(folding.counts.get('STREAM_NAME_TOO_LONG')).toBe(1)
  })

  test('every snapshot shows the input as far as it has come', () => {
    const folding = folder()
    const inputs = [start, callStart, ...['{"q":"a', 'b', 'c"}'].map(piece)].map(chunk => {
      folding.push(chunk)
      return toolCalls(folding.message!)[0]?.input
    })
    expect(inputs).toEqual([undefined, undefined, { q: 'a' }, { q: 'ab' }, { q: 'abc' }])
  })

  test('a raw text that was cut off stands where the AI SDK has it', () => {
    const chunks: Chunk[] = [start, callStart, { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"q' }]
    const ui = toUIMessage(fold([...chunks, { type: 'abort' }])[0]!)
    expect(ui.parts[0]).toMatchObject({ state: 'output-error', rawInput: '{"q' })
    expect(ui.parts[0]).not.toHaveProperty('callProviderMetadata')
  })

  test('a streamed list has items, not parameters', () => {
    const json = new PartialJson()
    json.push(`[${'1,'.repeat(2000)}1]`)
    expect(json.parameters).toBe(0)
  })

  test('the chunk that crosses the limit of a message does not reopen a settled call', () => {
    const states: string[] = []
    const folding = folder({ onToolCall: ({ toolCall }) => states.push(toolCall.state) })
    const half = 'x'.repeat(limits.messageLength / 2)
    for (const id of ['1', '2']) folding.push({ type: 'text-delta', id, delta: half })
    folding.push(available)
    expect(states).toEqual(['input-available', 'output-error'])
    expect(toolCalls(folding.message!)[0]).toMatchObject({ state: 'output-error', settledBy: 'limit' })
  })

  test('previews that replace each other do not fill the message', () => {
    const folding = folder()
    folding.push(start)
    folding.push(available)
    const preview = 'x'.repeat(limits.messageLength / 4)
    for (let i = 0; i < 8; i++)
      folding.push({ type: 'tool-output-available', toolCallId: 'c', output: preview, preliminary: true })
    for (let i = 0; i < 8; i++) folding.push({ type: 'data-x', id: 'd', data: preview })
    folding.push(output)
    expect(toolCalls(folding.message!)[0]).toMatchObject({ state: 'output-available', output: 'done' })
    expect(folding.counts.size).toBe(0)
  })

  test('an input that was cut off by the result is completed by a late input', () => {
    const delta: Chunk = { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"q"' }
    const call = onlyCall([start, callStart, delta, output, available])
    expect(call).toMatchObject({ input: { q: 1 }, output: 'done' })
    expect(call).not.toHaveProperty('rawInput')
  })

  test('an input that streamed whole and was answered has no raw text beside it', () => {
    const delta: Chunk = { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"q":1}' }
    const call = onlyCall([start, callStart, delta, output])
    expect(call).toMatchObject({ input: { q: 1 } })
    expect(call).not.toHaveProperty('rawInput')
  })

  test('a run that finishes for tool calls leaves those open that wait for someone outside', () => {
    const open = new OpenParts()
    const streaming: Chunk = { type: 'tool-input-start', toolCallId: 'cut', toolName: 'search' }
    for (const chunk of [start, callStart, available, streaming]) open.watch(chunk)
    const ending = open.end({ type: 'finish', finishReason: 'tool-calls' })
    expect(ending.map(chunk => ('toolCallId' in chunk ? chunk.toolCallId : chunk.type))).toEqual(['cut', 'finish'])
  })
})

test('what came before the head of a stream is read first, and the stream goes on in order', () => {
  const folding = folder()
  const said = (delta: string): Chunk => ({ type: 'text-delta', id: 't', delta })
  folding.push({ sequence: 2, chunk: said('early') })
  folding.push({ sequence: 3, chunk: start })
  for (const sequence of [4, 5]) folding.push({ sequence, chunk: said(`${sequence}`) })
  expect(folding.messages.map(texts)).toEqual([['early'], ['45']])
})

describe('steps that are taken back', () => {
  const step: Chunk = { type: 'start-step' }
  const said: Chunk = { type: 'text-delta', id: 't', delta: 'wrong' }

  test('the parts are gone from the very next snapshot', () => {
    const folding = folder()
    for (const chunk of [start, step, said]) folding.push(chunk)
    expect(folding.message?.parts).toHaveLength(2)
    folding.push({ type: 'reset-step' })
    expect(folding.message?.parts).toHaveLength(1)
  })

  test.each<CommentaryPolicy>(['provisional', 'defer'])('late text for them is ignored (%s)', commentary => {
    const chunks: Chunk[] = [
      start,
      step,
      { type: 'text-start', id: 't' },
      said,
      { type: 'reset-step' },
      said,
      { type: 'finish' },
    ]
    const folding = folder({ commentary })
    for (const chunk of chunks.slice(0, 5)) folding.push(chunk)
    for (const chunk of chunks.slice(5)) folding.push(chunk)
    expect(texts(folding.message)).toEqual([])
    expect(folding.counts.has('STREAM_LATE_CHUNK')).toBe(true)
  })

  test('late chunks for them are ignored also by a reader that was saved and resumed', () => {
    const saved = folder()
    for (const chunk of [start, step, said, available, { type: 'reset-step' } as const]) saved.push(chunk)
    const state = JSON.parse(JSON.stringify(saved)) as AccumulatorState
    const resumed = folder({ state })
    for (const chunk of [said, output, available]) resumed.push(chunk)
    expect(resumed.message?.parts).toEqual([{ type: 'step-start' }])
    expect(resumed.counts.get('STREAM_LATE_CHUNK')).toBeGreaterThanOrEqual(3)
  })

  test('a step that was made again and finished is followed by a new one', () => {
    const chunks: Chunk[] = [start, step, { type: 'reset-step' }, { type: 'finish-step' }, step, { type: 'finish' }]
    expect(fold(chunks)[0]?.parts).toHaveLength(2)
  })

  test('a log played again keeps what a reset does not take back', async () => {
    const chunks: Chunk[] = [
      start,
      step,
      available,
      { type: 'finish-step' },
      step,
      { type: 'message-metadata', messageMetadata: { model: 'x' } },
      said,
      output,
      { type: 'reset-step' },
      step,
      { type: 'finish' },
    ]
    const played: Chunk[] = []
    const log = chunks.map((chunk, o) => ({ o, t: 0, chunk }))
    for await (const chunk of replay(log)) played.push(chunk)
    expect(fold(played)).toEqual(fold(chunks))
  })
})

describe('texts', () => {
  const text = (id: string, delta: string, phase?: string): Chunk[] => [
    { type: 'text-start', id, ...(phase !== undefined && { providerMetadata: { openai: { phase } } }) },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id },
  ]

  test('text that waited for its phase before the start of the message is kept', () => {
    const messages = fold([{ type: 'text-delta', id: 't', delta: 'early' }, start], { commentary: 'defer' })
    expect(messages.flatMap(texts)).toEqual(['early'])
  })

  test('a text that says its phase does not overtake one that waits', () => {
    const chunks = [start, ...text('1', 'first '), ...text('2', 'second', 'final_answer'), { type: 'finish' } as const]
    expect(texts(fold(chunks, { commentary: 'defer' })[0])).toEqual(['first ', 'second'])
  })

  test('an id that is used a third time does not end the first text', () => {
    const chunks = [
      start,
      ...text('t', 'a'),
      ...text('t', 'b', 'final_answer'),
      ...text('t', 'c'),
      { type: 'finish' } as const,
    ]
    expect(fold(chunks)[0]?.parts).toMatchObject([
      { text: 'a', phase: 'final' },
      { text: 'b', phase: 'final' },
      { text: 'c', phase: 'final' },
    ])
    const once = throughCommentary(chunks)
    expect(throughCommentary(once)).toEqual(once)
  })

  test.each<CommentaryPolicy>(['provisional', 'defer'])(
    'a character that a call cuts in two stays whole (%s)',
    commentary => {
      const chunks: Chunk[] = [
        start,
        { type: 'text-delta', id: 't', delta: 'a\ud83d' },
        callStart,
        { type: 'text-delta', id: 't', delta: '\ude00b' },
        { type: 'text-end', id: 't' },
        { type: 'finish' },
      ]
      expect(texts(fold(chunks, { commentary })[0])).toEqual(['a', '😀b'])
      expect(texts(fold(chunks.slice(0, 3), { commentary })[0])).toEqual(['a', '\ufffd'])
      const answer: Chunk = { type: 'text-start', id: 't', providerMetadata: { openai: { phase: 'final_answer' } } }
      const behind = [start, ...text('first', '1'), answer, ...chunks.slice(1)]
      expect(texts(fold(behind, { commentary })[0]).join('')).toBe('1a😀b')
    },
  )

  test('a phase that came with the start of a text is named again where later metadata replaces it', () => {
    const phase = { openai: { phase: 'commentary' } }
    const sent = throughCommentary([
      start,
      { type: 'text-start', id: 'f', providerMetadata: { openai: { phase: 'final_answer' } } },
      { type: 'text-end', id: 'f', providerMetadata: { openai: { itemId: 'i' } } },
      { type: 'text-start', id: 'c', providerMetadata: phase },
      { type: 'text-end', id: 'c', providerMetadata: { argot: { state: 'aborted' } } },
    ])
    expect(sent.filter(chunk => chunk.type === 'text-end')).toMatchObject([
      { providerMetadata: { openai: { itemId: 'i' }, argot: { phase: 'final' } } },
      { providerMetadata: { argot: { phase: 'commentary', state: 'aborted' } } },
    ])
  })

  test('a text that the provider called commentary stays commentary after a call in its middle', () => {
    const chunks: Chunk[] = [
      start,
      { type: 'text-start', id: 't', providerMetadata: { openai: { phase: 'commentary' } } },
      { type: 'text-delta', id: 't', delta: 'a' },
      { ...callStart, providerExecuted: true } as Chunk,
      { type: 'text-delta', id: 't', delta: 'b' },
      { type: 'finish' },
    ]
    expect(fold(chunks)[0]?.parts.filter(part => part.type === 'text')).toMatchObject([
      { text: 'a', phase: 'commentary' },
      { text: 'b', phase: 'commentary' },
    ])
  })

  test('a run that is stopped keeps what the provider said of an open text', () => {
    const open = new OpenParts()
    open.watch({ type: 'reasoning-start', id: 'r', providerMetadata: { anthropic: { kind: 'thinking' } } })
    open.watch({ type: 'reasoning-delta', id: 'r', delta: 'Hm' })
    expect(open.end({ type: 'abort' })[0]).toMatchObject({
      type: 'reasoning-end',
      providerMetadata: { anthropic: { kind: 'thinking' }, argot: { state: 'aborted' } },
    })
  })

  test('a message whose text knew its phase from the start is played again as it was', () => {
    const ended: Chunk = { type: 'text-end', id: 't', providerMetadata: { openai: { itemId: 'i' } } }
    const [message] = fold([start, ...text('t', 'a', 'final_answer').slice(0, 2), ended, { type: 'finish' }])
    expect(fold(messageToChunks(message!))[0]).toEqual({ ...message, createdAt: expect.any(String) as string })
  })

  test('a text that was cut off is still undecided in the shape of the AI SDK', () => {
    const [message] = fold([start, { type: 'text-start', id: 't' }, { type: 'abort' }])
    expect(fromUIMessage(toUIMessage(message!)).parts[0]).toMatchObject({ phase: 'pending', state: 'aborted' })
  })
})
