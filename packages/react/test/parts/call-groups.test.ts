import type { ToolInvocation } from '@argot/core'
import { expect, test } from 'vitest'
import { callGroups } from '../../src/parts/run/call-groups.ts'
import { hasOpenFailure, runSummary } from '../../src/parts/run/run-summary.ts'
import { stripLayout } from '../../src/parts/run/strip-layout.ts'

let count = 0
function call(toolName: string, fields: Partial<ToolInvocation> = {}): ToolInvocation {
  const key = `c${count++}`
  return { key, toolCallId: key, toolName, state: 'output-available', input: { path: key }, output: 'ok', ...fields }
}

const kinds = (calls: ToolInvocation[]) => callGroups(calls).map(group => [group.kind, group.calls.length])

test('calls one after the other stand alone', () => {
  expect(kinds([call('a', { startedAt: 0, endedAt: 1 }), call('b', { startedAt: 1, endedAt: 2 })])).toEqual([
    ['single', 1],
    ['single', 1],
  ])
})

test('calls that overlap share a bracket', () => {
  const calls = [
    call('a', { startedAt: 0, endedAt: 5 }),
    call('b', { startedAt: 1, endedAt: 2 }),
    call('c', { startedAt: 4, endedAt: 6 }),
    call('d', { startedAt: 7, endedAt: 8 }),
  ]
  expect(kinds(calls)).toEqual([
    ['parallel', 3],
    ['single', 1],
  ])
})

test('a call that ended before the first one began is not parallel to it', () => {
  expect(kinds([call('a', { startedAt: 100, endedAt: 110 }), call('b', { startedAt: 5, endedAt: 6 })])).toEqual([
    ['single', 1],
    ['single', 1],
  ])
})

test('a call that still runs overlaps with what begins after it', () => {
  const running = call('a', { state: 'input-available', startedAt: 0 })
  expect(kinds([running, call('b', { startedAt: 3, endedAt: 4 })])).toEqual([['parallel', 2]])
})

test('a call that waits for a person stands alone', () => {
  const waiting = () => call('run', { state: 'approval-requested', approval: { id: '1' }, startedAt: 2 })
  const running = call('a', { state: 'input-available', startedAt: 0 })
  expect(kinds([running, waiting(), waiting()])).toEqual(Array(3).fill(['single', 1]))
})

test('without times nothing is known to be parallel', () => {
  expect(kinds([call('a'), call('b')])).toEqual([
    ['single', 1],
    ['single', 1],
  ])
})

test('where the steps are known, they decide, whatever the times say', () => {
  const at = { startedAt: 3, endedAt: 3 }
  const waiting = call('run', { state: 'approval-requested', approval: { id: '1' } })
  const calls = [call('a', at), call('b', at), call('c', at), waiting, call('d', at)]
  expect(callGroups(calls, true, [1, 1, 2, 2, 2]).map(group => [group.kind, group.calls.length])).toEqual([
    ['parallel', 2],
    ['single', 1],
    ['single', 1],
    ['single', 1],
  ])
})

test('more than five reads are one row; a failed one stands alone', () => {
  const reads = Array.from({ length: 6 }, () => call('read_file'))
  expect(kinds(reads)).toEqual([['reads', 6]])
  expect(kinds(reads.slice(1))).toEqual(Array(5).fill(['single', 1]))
  const failed = call('read_file', { state: 'output-error', errorText: 'gone' })
  expect(kinds([...reads, failed, ...reads])).toEqual([
    ['reads', 6],
    ['single', 1],
    ['reads', 6],
  ])
})

test('a run is counted: calls, failures, what waits, files that changed', () => {
  const calls = [
    call('write_file', { input: { path: 'a' }, startedAt: 10, endedAt: 20 }),
    call('edit_file', { input: { path: 'a' }, startedAt: 20, endedAt: 30 }),
    call('run', { state: 'output-error', errorText: 'no' }),
    call('delete_file', { state: 'approval-requested', approval: { id: '1' } }),
  ]
  expect(runSummary(calls)).toEqual({
    calls: 4,
    failed: 1,
    waiting: 1,
    filesChanged: 1,
    isSettled: false,
    startedAt: 10,
    endedAt: 30,
  })
})

test('a failure is open until a later call of the same tool on the same subject succeeds', () => {
  const failed = call('run', { input: { command: 'npm test' }, state: 'output-error', errorText: 'no' })
  const repaired = call('run', { input: { command: 'npm test' } })
  const other = call('run', { input: { command: 'ls' } })
  expect(hasOpenFailure([failed])).toBe(true)
  expect(hasOpenFailure([failed, other])).toBe(true)
  expect(hasOpenFailure([failed, repaired])).toBe(false)
  expect(hasOpenFailure([repaired, failed])).toBe(true)
})

test('the strip gives each call its share of the time, and parallel ones two lanes', () => {
  const calls = [
    call('a', { startedAt: 0, endedAt: 10 }),
    call('b', { startedAt: 50, endedAt: 70 }),
    call('c', { startedAt: 60, endedAt: 80, state: 'output-error', errorText: 'no' }),
    call('d', { startedAt: 90, state: 'approval-requested', approval: { id: '1' } }),
  ]
  expect(stripLayout(calls, 0, 100).map(({ start, width, lane, tone }) => [start, width, lane, tone])).toEqual([
    [0, 10, undefined, 'done'],
    [50, 20, 0, 'done'],
    [60, 20, 1, 'fail'],
    [90, 10, undefined, 'wait'],
  ])
})

test('times that are nonsense stay on the strip', () => {
  const calls = [call('a', { startedAt: 500, endedAt: -5 }), call('b', { startedAt: -100, endedAt: 1e9 }), call('c')]
  for (const { start, width } of stripLayout(calls, 0, 0)) {
    expect(start).toBeGreaterThanOrEqual(0)
    expect(start + width).toBeLessThanOrEqual(100)
  }
})
