import { type Chunk, isToolPart, type MessagePart } from '@argot/core'
import { functionAdapter } from '@argot/react'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { openStore, run, testAdapter, until } from './adapter-suite.ts'

testAdapter('a generator of chunks', {
  whole: () =>
    functionAdapter(async function* () {
      yield* run
    }),
  silentAfter: count =>
    functionAdapter(async function* ({ signal }) {
      yield* run.slice(0, count)
      await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
    }),
})

test.each([
  ['a text', async () => 'Hello'],
  [
    'pieces of text',
    async function* () {
      yield 'Hel'
      yield 'lo'
    },
  ],
])('%s is the answer', async (_, answer) => {
  const store = openStore(functionAdapter(answer))
  await store.send({ text: 'Hi' })
  expect(store.conversation.messages()[1]).toMatchObject({ status: 'sent', parts: [{ text: 'Hello', phase: 'final' }] })
})

test('a function can wait for the person', async () => {
  const store = openStore(
    functionAdapter(async function* (_, { approval, output }) {
      yield { type: 'start', messageId: 'a1' }
      yield { type: 'tool-input-available', toolCallId: 'c1', toolName: 'delete', input: {} }
      yield { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'p1' }
      const { approved, reason = '' } = await approval('p1')
      yield { type: 'tool-output-denied', toolCallId: 'c1', reason: `${approved} ${reason}` }
      yield { type: 'tool-input-available', toolCallId: 'c2', toolName: 'ask_user', input: { question: 'Which?' } }
      yield { type: 'text-start', id: 't' }
      yield { type: 'text-delta', id: 't', delta: JSON.stringify(await output('c2')) }
      yield { type: 'finish' }
    }),
  )
  void store.send({ text: 'Hi' })
  await until(() => store.conversation.pending.get().length === 1)
  store.submit({ text: 'not that one' })
  await until(() => store.conversation.pending.get()[0]?.kind === 'question')
  store.submit({ text: 'the other' })
  await until(() => !store.isRunning)
  const [denied, asked, text] = store.conversation.messages()[1]!.parts
  expect(denied).toMatchObject({ toolInvocation: { state: 'output-denied' } })
  expect(asked).toMatchObject({ toolInvocation: { state: 'output-available', output: 'the other' } })
  expect(text).toMatchObject({ text: '"the other"' })
})

/** What a function may give between a start and a finish; `at` numbers its calls and texts. */
type Item = 'string' | 'call' | 'step' | 'own text' | 'data' | 'transient' | 'metadata' | 'output' | 'file'

/** The item as chunks, and the places that it takes in the message. */
function made(kind: Item, at: number): { gives: (Chunk | string)[]; places: string[] } {
  const toolCallId = `c${at}`
  const call: Chunk = { type: 'tool-input-available', toolCallId, toolName: 'read', input: {} }
  const done: Chunk = { type: 'tool-output-available', toolCallId, output: at }
  switch (kind) {
    case 'string':
      return { gives: [`s${at} `], places: [`s${at} `] }
    case 'call':
      return { gives: [{ type: 'tool-input-start', toolCallId, toolName: 'read' }, call, done], places: [toolCallId] }
    case 'output':
      return { gives: [call, `s${at} `, done, `s${at} `], places: [toolCallId, `s${at} `, `s${at} `] }
    case 'step':
      return { gives: [{ type: 'finish-step' }, { type: 'start-step' }], places: ['step'] }
    case 'own text':
      return {
        gives: [
          { type: 'text-start', id: 'text' },
          { type: 'text-delta', id: 'text', delta: `o${at}` },
          { type: 'text-end', id: 'text' },
        ],
        places: [`|o${at}|`],
      }
    case 'data':
      return { gives: [{ type: 'data-x', id: `d${at}`, data: at }], places: [`d${at}`] }
    case 'transient':
      return { gives: [{ type: 'data-x', data: at, transient: true }], places: [] }
    case 'metadata':
      return { gives: [{ type: 'message-metadata', messageMetadata: { at } }], places: [] }
    case 'file':
      return { gives: [{ type: 'file', mediaType: 'text/plain', url: `data:,${at}` }], places: [`data:,${at}`] }
  }
}

const kinds: readonly Item[] = ['string', 'call', 'step', 'own text', 'data', 'transient', 'metadata', 'output', 'file']

/** Strings that follow one another are one text. */
function joined(places: readonly string[]): string[] {
  const all: string[] = []
  for (const place of places) {
    const isMore = /^s\d|^s\./.test(place) && /^s\d/.test(all.at(-1) ?? '')
    if (isMore) all.push(all.pop()! + place)
    else all.push(place)
  }
  return all
}

function placeOf(part: MessagePart): string {
  if (isToolPart(part)) return part.toolInvocation.toolCallId
  if (part.type === 'text') return part.text.startsWith('o') ? `|${part.text}|` : part.text
  if (part.type === 'file') return part.url
  return part.type === 'step-start' ? 'step' : String((part as { id?: string }).id)
}

test('law: strings and chunks in any order are one message, in that order, and no two texts share an id', async () => {
  const items = fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(items, fc.boolean(), fc.boolean(), async (some, starts, finishes) => {
      const list = ['string' as const, ...some].map(made)
      const given = starts ? list.slice(1) : list
      const sent: Chunk[] = []
      const adapter = functionAdapter(async function* () {
        if (starts) yield { type: 'start', messageId: 'own' }
        for (const { gives } of given) yield* gives
        yield 's.'
        if (finishes) yield { type: 'finish', finishReason: 'stop' }
      })
      const store = openStore({
        ...adapter,
        sendMessage: async input => {
          const stream = await adapter.sendMessage(input)
          const tap = new TransformStream({
            transform(chunk: Chunk, controller) {
              sent.push(chunk)
              controller.enqueue(chunk)
            },
          })
          return (stream as ReadableStream<Chunk>).pipeThrough(tap)
        },
      })
      await store.send({ text: 'Hi' })
      const messages = store.conversation.messages()
      expect(messages.map(({ role, status }) => `${role} ${status}`)).toEqual(['user sent', 'assistant sent'])
      expect(messages[1]!.id).toBe(starts ? 'own' : 're-u1')
      const places = [...given.flatMap(one => one.places), 's.']
      expect(messages[1]!.parts.map(placeOf)).toEqual(joined(places))
      const starting = sent.flatMap(chunk => (chunk.type === 'text-start' && chunk.id !== 'text' ? [chunk.id] : []))
      expect(new Set(starting).size).toBe(starting.length)
      expect(sent.filter(({ type }) => type === 'start' || type === 'finish').map(({ type }) => type)).toEqual([
        'start',
        'finish',
      ])
    }),
    { numRuns: shareOf(400), seed: 1 },
  )
})
