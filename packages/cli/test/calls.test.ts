import { accumulate, type Chunk, type ToolInvocation, toolCalls } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { expect, test } from 'vitest'
import { fixture, fixtures } from '../../core/test/stream/fixtures.ts'
import { Calls } from '../src/view/calls.ts'

/** Every change of a call's state in a stream, and the calls that are open at its end. */
function follow(chunks: readonly Chunk[]): { changes: string[]; open: ToolInvocation[] } {
  const calls = new Calls(() => 1)
  const changes = chunks.flatMap(chunk => calls.push(chunk).map(({ call }) => `${call.key} ${call.state}`))
  return { changes, open: calls.open.map(({ call }) => call) }
}

test.each(fixtures)('follows the calls of %s as a fold of the whole stream does', name => {
  const chunks = fixture(name)
  const changes: string[] = []
  const fold = accumulate({
    own: true,
    commentary: 'given',
    now: () => 1,
    onToolCall: ({ toolCall }) => void changes.push(`${toolCall.key} ${toolCall.state}`),
  })
  for (const chunk of chunks) fold.push(chunk)
  const open = fold.messages.flatMap(toolCalls).filter(call => !isSettled(call))
  expect(follow(chunks)).toEqual({ changes, open })
})

const start: Chunk = { type: 'tool-input-start', toolCallId: 'a', toolName: 'read' }

test('shows the input as it is when somebody looks', () => {
  const calls = new Calls(() => 1)
  for (const chunk of [start, { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '{"path":"x' } as const]) {
    calls.push(chunk)
  }
  expect(calls.open.map(({ call }) => call.input)).toEqual([{ path: 'x' }])
})

test('texts before and between calls change nothing, and calls that a reset takes back are gone', () => {
  const text: Chunk[] = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'I read.' },
    { type: 'text-end', id: 't' },
  ]
  const { changes, open } = follow([{ type: 'start-step' }, ...text, start, ...text, { type: 'reset-step' }])
  expect(changes).toEqual(['a input-streaming'])
  expect(open).toEqual([])
})

test('a preview changes no state, and the output after it ends the call', () => {
  const { changes, open } = follow([
    start,
    { type: 'tool-input-available', toolCallId: 'a', toolName: 'read', input: {} },
    { type: 'tool-output-available', toolCallId: 'a', output: 1, preliminary: true },
    { type: 'tool-output-available', toolCallId: 'a', output: 2, preliminary: true },
    { type: 'tool-output-available', toolCallId: 'a', output: 3 },
    { type: 'tool-input-available', toolCallId: 'a', toolName: 'read', input: { late: true } },
  ])
  expect(changes).toEqual(['a input-streaming', 'a input-available', 'a output-available', 'a output-available'])
  expect(open).toEqual([])
})
