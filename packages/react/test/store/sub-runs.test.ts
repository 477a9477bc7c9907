import type { Chunk } from '@argot/core'
import { expect, test } from 'vitest'
import { ChatStore } from '../../src/store/chat-store.ts'
import { SubRuns } from '../../src/store/run/sub-runs.ts'
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

const nested = (toolCallId: string, chunk: Chunk): Chunk => ({ type: 'data-argot-sub', data: { toolCallId, chunk } })

test('a run inside a run is kept apart from it, and followed by the run that it is in', () => {
  const runs = new SubRuns()
  for (const chunk of chunks) runs.take('m', { toolCallId: 'c', chunk })
  for (const chunk of chunks) runs.take('m', { toolCallId: 'c', chunk: nested('r', chunk) })
  const outer = runs.follow('m', 'c').get()!
  expect(outer.calls).toHaveLength(1)
  const inner = runs.follow(outer.key, 'r').get()!
  expect(inner).toMatchObject({ calls: [{ toolName: 'read_file' }], line: 'Only tail.ts calls it' })
  expect(inner.key).not.toBe(outer.key)
  expect(runs.call(`${inner.key}/r`)).toMatchObject({ toolName: 'read_file' })
  expect(runs.findRun(`${inner.key}/r`)).toMatchObject({ messageId: 'm' })
})

test('ids that look like the names of runs are told apart', () => {
  const runs = new SubRuns()
  runs.take('m', { toolCallId: 'c/1:r', chunk: chunks[4] })
  runs.flush()
  const { key } = runs.follow('m', 'c/1:r').get()!
  runs.take('m', { toolCallId: 'c', chunk: nested('r', { type: 'start', messageId: 'x' }) })
  expect(runs.follow(runs.follow('m', 'c').get()?.key ?? 'm/1:c', 'r').get()?.key).not.toBe(key)
})

test('a chunk that is wrapped without end says nothing', () => {
  const runs = new SubRuns()
  let chunk: Chunk = chunks[4]!
  for (let depth = 0; depth < 10_000; depth++) chunk = nested('c', chunk)
  runs.take('m', { toolCallId: 'c', chunk })
  expect(runs.flush()).toBe(false)
})

test('whoever waits inside a call is known at any depth, until the answer', () => {
  const runs = new SubRuns()
  const ask: Chunk = { type: 'tool-approval-request', toolCallId: 'r', approvalId: 'c/r' }
  for (const chunk of [...chunks, ask]) runs.take('m', { toolCallId: 'c', chunk: nested('b', chunk) })
  expect(runs.flush()).toBe(true)
  expect(runs.questions).toMatchObject([
    { callKey: 'm/1:c/1:b/r', messageId: 'm', toolCallId: 'c', call: { approval: { id: 'c/r' } } },
  ])
  expect(runs.flush()).toBe(false)
  runs.take('m', {
    toolCallId: 'c',
    chunk: nested('b', { type: 'tool-approval-response', toolCallId: 'r', approvalId: 'c/r', approved: true }),
  })
  expect(runs.flush()).toBe(true)
  expect(runs.questions).toEqual([])
})
