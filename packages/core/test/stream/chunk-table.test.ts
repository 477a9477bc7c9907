import type { Chunk } from '@argot/core'
import { chunkFacts, isInternalMark, settledState, WireAdapter } from '@argot/core/stream'
import { findFacts } from '@argot/core/stream/internal'
import { expect, test } from 'vitest'
import { fixture, fixtures } from './fixtures.ts'

test.each([
  ['tool-input-error', 'output-error'],
  ['tool-output-available', 'output-available'],
  ['tool-output-error', 'output-error'],
  ['tool-output-denied', 'output-denied'],
  ['tool-input-available', undefined],
  ['tool-approval-request', undefined],
  ['text-end', undefined],
  ['finish', undefined],
])('%s settles its call as %s', (type, state) => {
  expect(settledState({ type, toolCallId: 'c' } as Chunk)).toBe(state)
})

test('a preliminary output settles no call', () => {
  expect(settledState({ type: 'tool-output-available', toolCallId: 'c', output: 1, preliminary: true })).toBe(undefined)
})

test('data that stays in the message completes a part, transient data does not', () => {
  expect(chunkFacts({ type: 'data-x', data: 1 })).toMatchObject({ on: 'data', completes: true })
  expect(chunkFacts({ type: 'data-x', data: 1, transient: true }).completes).toBe(undefined)
})

test.each(['constructor', '__proto__', 'toString', '', 'tool-', undefined, null, 7])(
  'a chunk of the unknown type %j does nothing',
  type => {
    const chunk = { type } as unknown as Chunk
    expect(chunkFacts(chunk)).toEqual({ on: 'nothing', does: 'nothing' })
    expect(settledState(chunk)).toBe(undefined)
    expect(findFacts(type as string)).toBe(undefined)
    expect(isInternalMark(chunk)).toBe(false)
  },
)

test.each(fixtures)('every chunk of the recorded stream %s does something', name => {
  for (const chunk of fixture(name)) expect(chunkFacts(chunk).on).not.toBe('nothing')
})

test.each(['argot', 'ai-sdk', 'mui'] as const)('the marks of a run never reach a client (%s)', client => {
  const adapter = new WireAdapter(client)
  for (const name of ['step', 'call', 'begin', 'written', 'recovered']) {
    const mark: Chunk = { type: `data-argot-${name}`, data: {}, transient: true }
    expect(isInternalMark(mark)).toBe(true)
    expect(adapter.push(mark)).toEqual([])
  }
  expect(isInternalMark({ type: 'data-argot-sub', data: {} })).toBe(false)
})
