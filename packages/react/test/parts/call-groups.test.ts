import type { ToolInvocation } from '@argot/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callGroups } from '../../src/parts/run/call-groups.ts'
import { findRepairs, hasOpenFailure, runSummary } from '../../src/parts/run/run-summary.ts'
import type { StripCall } from '../../src/parts/run/strip-call.ts'
import { stripLayout, stripStretches } from '../../src/parts/run/strip-layout.ts'
import { runTimes } from '../../src/parts/run/waits.ts'

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
    failed: 1,
    waiting: 1,
    filesChanged: 1,
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

function bar(key: string, from?: number, to?: number, tone: StripCall['tone'] = 'done'): StripCall {
  return { key, name: key, from, to, tone }
}

test('the strip gives each call its share of the time, and parallel ones two lanes', () => {
  const bars = [bar('a', 0, 10), bar('b', 50, 70), bar('c', 60, 80, 'fail'), bar('d', 90, undefined, 'wait')]
  expect(stripLayout(bars, 0, 100).map(({ start, width, lane, tone }) => [start, width, lane, tone])).toEqual([
    [0, 10, undefined, 'done'],
    [50, 20, 0, 'done'],
    [60, 20, 1, 'fail'],
    [90, 10, undefined, 'wait'],
  ])
})

test('times that are nonsense stay on the strip', () => {
  for (const { start, width } of stripLayout([bar('a', 500, -5), bar('b', -100, 1e9), bar('c')], 0, 0)) {
    expect(start).toBeGreaterThanOrEqual(0)
    expect(start + width).toBeLessThanOrEqual(100)
  }
})

describe('two clocks', () => {
  const waits = new Map([['ask', { from: 4000, to: 124_000 }]])

  test('waiting is folded out of the strip: work keeps its proportion', () => {
    const bars = [bar('a', 0, 2000), bar('ask', 3000, 126_000), bar('b', 126_000, 134_000, 'fail')]
    const times = runTimes(bars, waits, 0, 136_000)
    expect(times).toMatchObject({ worked: 16_000, waited: 120_000 })
    const [first, second] = stripStretches(bars, times)
    expect(first).toMatchObject({ share: 0.25, wait: 120_000 })
    expect(second).toMatchObject({ share: 0.75, wait: undefined })
    expect(first!.segments.map(({ key, start, width }) => [key, start, width])).toEqual([
      ['a', 0, 50],
      ['ask', 75, 25],
    ])
    expect(second!.segments.map(({ key }) => key)).toEqual(['ask', 'b'])
  })

  test('what runs while a person is asked is work', () => {
    const bars = [bar('ask', 3000, 126_000), bar('b', 5000, 64_000)]
    expect(runTimes(bars, waits, 0, 126_000).waited).toBe(61_000)
  })

  test('worked and waited are always all of the time', () => {
    const time = fc.integer({ min: 0, max: 100_000 })
    const span = fc.tuple(time, time).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
    fc.assert(
      fc.property(fc.array(span), fc.array(span), span, (asked, ran, { from: begin, to: end }) => {
        const bars = ran.map(({ from, to }, index) => bar(`r${index}`, from, to))
        const times = runTimes(bars, new Map(asked.map((one, index) => [`a${index}`, one])), begin, end)
        expect(times.worked + times.waited).toBe(end - begin)
        const stretches = stripStretches(bars, times)
        expect(stretches.length).toBe(times.waits.length + 1)
        for (const { start, width } of stretches.flatMap(one => one.segments)) {
          expect(start).toBeGreaterThanOrEqual(0)
          expect(start + width).toBeLessThanOrEqual(100.001)
        }
      }),
    )
  })
})

test('a failure that a later try repaired is counted no more, and knows the try', () => {
  const run = (key: string, exitCode: number) =>
    call('run', { key, input: { command: 'npm test' }, output: 'x', details: { exitCode } })
  const calls = [run('a', 1), run('b', 1), run('c', 0)]
  expect(findRepairs(calls)).toEqual(
    new Map([
      ['a', 3],
      ['b', 3],
    ]),
  )
  expect(runSummary(calls).failed).toBe(0)
  expect(runSummary([...calls, run('d', 1)]).failed).toBe(1)
})
