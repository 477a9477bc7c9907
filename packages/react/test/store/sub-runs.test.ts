import type { Chunk } from 'argot'
import { expect, test } from 'vitest'
import { ChatStore } from '../../src/store/chat-store.ts'
import { SubRuns } from '../../src/store/sub-runs.ts'
import { ScriptedAdapter } from './scripted-adapter.ts'

const chunks: Chunk[] = [
  { type: 'start', messageId: 's' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Looking.\nOnly tail.ts calls it' },
  { type: 'text-end', id: 't' },
  { type: 'tool-input-available', toolCallId: 'r', toolName: 'read_file', input: { path: 'a.ts' } },
]

test('a run inside a call is folded from its own chunks', () => {
  const runs = new SubRuns()
  const run = runs.follow('m', 'c')
  for (const chunk of chunks) runs.take('m', { toolCallId: 'c', chunk })
  expect(run.get()).toBeUndefined()
  runs.flush()
  expect(run.get()).toMatchObject({ calls: [{ toolName: 'read_file' }], line: 'Only tail.ts calls it' })
  expect(runs.follow('m', 'other').get()).toBeUndefined()
})

test('a stream that is read again begins again', () => {
  const runs = new SubRuns()
  for (const chunk of [...chunks, ...chunks]) runs.take('m', { toolCallId: 'c', chunk })
  expect(runs.follow('m', 'c').get()!.calls.length).toBe(1)
})

test.each([
  [undefined],
  [null],
  ['text'],
  [{}],
  [{ toolCallId: 'c' }],
  [{ toolCallId: 1, chunk: {} }],
  [{ toolCallId: 'c', chunk: null }],
])('%j says nothing of a run', data => {
  const runs = new SubRuns()
  runs.take('m', data)
  expect(runs.follow('m', 'c').get()).toBeUndefined()
})

test('a run inside a call of history is known too', () => {
  const store = new ChatStore({
    adapter: new ScriptedAdapter(),
    initialMessages: [
      {
        id: 'm',
        role: 'assistant',
        parts: chunks.map(chunk => ({ type: 'data-argot-sub', data: { toolCallId: 'c', chunk } })),
      },
    ],
  })
  expect(store.conversation.subs.follow('m', 'c').get()!.calls.length).toBe(1)
})
