import assert from 'node:assert/strict'
import { accumulate, type Message, type ToolInvocation, toolCalls } from '@argot/core'
import type { CommentaryPolicy } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { errorCodes } from '../../src/source/error.ts'
import { anyHostileStream } from './arbitrary.ts'
import { cases, check, same } from './laws.ts'

const waiting: readonly ToolInvocation['state'][] = ['input-available', 'approval-requested', 'approval-responded']

function isSettled(call: ToolInvocation): boolean {
  if (call.state === 'output-available') return call.preliminary !== true
  return call.state === 'output-error' || call.state === 'output-denied'
}

/** What must hold for a message whose stream is over, whatever the stream was. */
function expectEnded(message: Message): void {
  assert(message.status !== 'streaming')
  const parked = message.finishReason === 'tool-calls'
  const calls = toolCalls(message)
  for (const call of calls) {
    assert(isSettled(call) || (parked && waiting.includes(call.state)), `${call.key} is ${call.state}`)
  }
  for (const part of message.parts) {
    assert(typeof part.type === 'string')
    assert((part.type !== 'text' && part.type !== 'reasoning') || part.state !== 'streaming')
  }
  assert(new Set(calls.map(call => call.key)).size === calls.length, 'Two calls have one key.')
}

test('whatever comes, nothing throws, nothing stays open after the end, and only whole characters remain', () => {
  const anyPolicy = fc.constantFrom<CommentaryPolicy>('provisional', 'defer')
  fc.assert(
    fc.property(anyHostileStream(), anyPolicy, (items, commentary) => {
      const folding = accumulate({ commentary, now: () => 0, nextId: () => 'generated' })
      for (const item of items) folding.push(item)
      folding.end()
      for (const message of folding.messages) expectEnded(message)
      for (const code of folding.counts.keys()) assert(errorCodes.includes(code))
      assert(!Object.hasOwn(Object.prototype, 'polluted'))
      assert(!/\\ud[89a-f]/.test(JSON.stringify(folding.messages)))
    }),
    { numRuns: 2 * cases },
  )
})

test('a call is announced once per state, and never goes back from a terminal one', () => {
  check(anyHostileStream(), items => {
    const states = new Map<string, ToolInvocation['state'][]>()
    const folding = accumulate({
      now: () => 0,
      nextId: () => 'generated',
      onToolCall: ({ toolCall }) => {
        const key = `${folding.messages.length} ${toolCall.key}`
        const list = states.get(key) ?? []
        states.set(key, [...list, toolCall.state])
        if (!isSettled(toolCall))
          expect(list.some(state => state === 'output-error' || state === 'output-denied')).toBe(false)
        expect(list.at(-1)).not.toBe(toolCall.preliminary === true ? toolCall.state : undefined)
      },
    })
    for (const item of items) folding.push(item)
    folding.end()
  })
})

test('the same hostile stream always gives the same messages', () => {
  fc.assert(
    fc.property(anyHostileStream(), items => {
      const [a, b] = [0, 1].map(() => {
        const folding = accumulate({ now: () => 0, nextId: () => 'generated' })
        for (const item of items) folding.push(item)
        folding.end()
        return folding.messages
      })
      same(a, b)
    }),
    { numRuns: shareOf(1000) },
  )
})
