import type { Chunk } from '@argot/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runWaits } from '../src/machine/run-waits.ts'
import { TrackScale } from '../src/machine/track-scale.ts'

const at = (time: number, chunk: Chunk): { time: number; chunk: Chunk } => ({ time, chunk })
const input = (toolCallId: string, toolName = 'run_command'): Chunk => ({
  type: 'tool-input-available',
  toolCallId,
  toolName,
  input: {},
})
const asks = (toolCallId: string): Chunk => ({ type: 'tool-approval-request', toolCallId, approvalId: toolCallId })
const output = (toolCallId: string): Chunk => ({ type: 'tool-output-available', toolCallId, output: 1 })

test('a run waits while a question is open and no call runs; a click is no wait', () => {
  expect(runWaits([at(0, input('a')), at(10, asks('a')), at(5010, output('a')), at(9000, { type: 'finish' })])).toEqual(
    [{ from: 10, to: 5010 }],
  )
  expect(runWaits([at(0, asks('a')), at(900, output('a'))])).toEqual([])
  expect(runWaits([at(0, input('b')), at(1, asks('a')), at(5000, output('b')), at(9000, output('a'))])).toEqual([
    { from: 5000, to: 9000 },
  ])
})

/** Times of work and of waits in turn. */
const turns = fc.array(fc.tuple(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 1000, max: 1e7 })), {
  maxLength: 30,
})

test('every wait is as wide as every other, work has its proportion, and each place leads back to its moment', () => {
  fc.assert(
    fc.property(
      turns,
      fc.integer({ min: 1, max: 60_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (pairs, last, share) => {
        let time = 0
        const waits = pairs.map(([work, wait]) => {
          const from = time + work
          time = from + wait
          return { from, to: time }
        })
        const duration = time + last
        const scale = new TrackScale(duration, waits)
        const worked = last + pairs.reduce((sum, [work]) => sum + work, 0)
        expect(scale.at(0)).toBe(0)
        expect(scale.at(duration)).toBeCloseTo(100, 6)
        const widths = waits.map(({ from, to }) => scale.at(to) - scale.at(from))
        for (const width of widths) expect(width).toBeCloseTo(Math.min(5, 50 / waits.length), 6)
        const rest = 100 - widths.reduce((sum, one) => sum + one, 0)
        expect(scale.at(duration) - scale.at(time)).toBeCloseTo((last / worked) * rest, 6)
        const moment = share * duration
        expect(Math.abs(scale.timeAt(scale.at(moment)) - moment)).toBeLessThan(duration / 1e6 + 1e-3)
      },
    ),
  )
})
