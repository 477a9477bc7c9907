import type { Chunk } from '@argot/core'
import { toMuiStream, WireAdapter } from '@argot/core/stream'
import { OpenParts, type WireClient } from '@argot/core/stream/internal'
import { expect, test } from 'vitest'
import { answer, ask, available, inputStart, start, startStep, text } from './chunks.ts'

const through = (client: WireClient, chunks: readonly Chunk[]): Chunk[] => {
  const adapter = new WireAdapter(client)
  return chunks.flatMap(chunk => adapter.push(chunk))
}

const special: Chunk[] = [
  { type: 'text-start', id: 'x', providerMetadata: { argot: { phase: 'remainder' } } },
  { type: 'text-delta', id: 'x', delta: 'rest' },
  { type: 'text-end', id: 'x' },
  answer(true),
  { type: 'reset-step' },
  { type: 'data-argot-sub', data: 1 },
]

test('our own clients get everything', () => {
  expect(through('argot', special)).toEqual(special)
})

test('AI SDK clients get facts as transient data, and no remainder', () => {
  expect(through('ai-sdk', special)).toEqual([
    { type: 'data-argot-approval', data: { approvalId: 'a1', toolCallId: 'c1', approved: true }, transient: true },
    { type: 'data-argot-reset', data: {}, transient: true },
  ])
})

test('MUI X Chat gets what it ignores, and no Argot data', () => {
  expect(through('mui', special)).toEqual([answer(true), { type: 'reset-step' }])
})

test('an approval request has id, tool and input; an input error has its start; metadata has both spellings', () => {
  const request: Chunk = { type: 'tool-approval-request', toolCallId: 'c1' }
  const error: Chunk = { type: 'tool-input-error', toolCallId: 'c9', toolName: 'x', input: '', errorText: 'bad' }
  const chunks = through('mui', [
    inputStart(),
    available(),
    request,
    error,
    { type: 'message-metadata', messageMetadata: { a: 1 } },
  ])
  expect(chunks.slice(2)).toEqual([
    ask('c1'),
    { type: 'tool-input-start', toolCallId: 'c9', toolName: 'x' },
    error,
    { type: 'message-metadata', messageMetadata: { a: 1 }, metadata: { a: 1 } },
  ])
})

test('a stream for MUI X Chat errors where Argot says error', async () => {
  async function* failing(): AsyncGenerator<Chunk> {
    yield start()
    yield { type: 'error', errorText: 'boom' }
  }
  const reader = toMuiStream(failing()).getReader()
  expect((await reader.read()).value).toEqual(start())
  await expect(reader.read()).rejects.toThrow('boom')
})

test('whatever is open is ended in the one right order', () => {
  const open = new OpenParts()
  const chunks: Chunk[] = [
    start(),
    startStep,
    ...text('a', 'x').slice(0, 2),
    inputStart(),
    { type: 'reasoning-start', id: 'r' },
  ]
  for (const chunk of chunks) open.watch(chunk)
  expect(open.end({ type: 'error', errorText: 'boom' }).map(chunk => chunk.type)).toEqual([
    'tool-output-error',
    'text-end',
    'reasoning-end',
    'error',
    'finish-step',
    'finish',
  ])
  expect(open.end({ type: 'abort' })).toEqual([])
  expect(open.ended).toBe(true)
})

test('what happens inside a call goes to clients that can show it, and to no others', () => {
  const chunk: Chunk = { type: 'data-argot-sub', data: { toolCallId: 'c1', chunk: startStep }, transient: true }
  expect(new WireAdapter('argot').push(chunk)).toEqual([chunk])
  expect(new WireAdapter('ai-sdk').push(chunk)).toEqual([])
  expect(new WireAdapter('mui').push(chunk)).toEqual([])
})

test('MUI X Chat keeps of a question its id alone, so the signature is in that; by hand the id is as it was', async () => {
  const signature = 'A'.repeat(43)
  const question: Chunk = { ...ask('a1'), signature } as Chunk
  const [sent] = through('mui', [question])
  expect(sent).toMatchObject({ approvalId: `a1~${signature}` })
  async function* one(): AsyncGenerator<Chunk> {
    yield question
  }
  const reader = toMuiStream(one()).getReader()
  expect((await reader.read()).value).toMatchObject({ approvalId: 'a1' })
})
