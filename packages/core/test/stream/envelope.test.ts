import { accumulate, type Chunk } from '@argot/core'
import { limits } from '@argot/core/stream'
import type { Envelope } from '@argot/core/stream/internal'
import { expect, test } from 'vitest'
import { finish, messageOf, start, text } from './chunks.ts'

const chunks = [start(), ...text('t', 'one ', 'two ', 'three'), finish()]
const enveloped = (first = 0): Envelope[] =>
  chunks.map((chunk, index) => ({ eventId: `e${index}`, sequence: first + index, chunk }))

function fold(items: readonly (Chunk | Envelope)[]) {
  const accumulator = accumulate({ now: () => 0 })
  for (const item of items) accumulator.push(item)
  return accumulator
}

test.each([0, 1, 40])('a stream whose head has the sequence %i is read in any order', first => {
  const items = enveloped(first)
  const accumulator = fold([items[2]!, items[1]!, items[6]!, items[5]!, items[0]!, items[4]!, items[3]!])
  expect(accumulator.message).toEqual(messageOf(chunks))
  expect(accumulator.diagnostics).toEqual([])
})

test('duplicates are dropped, by event id and by sequence', () => {
  const items = enveloped()
  const again = items.map(({ sequence, chunk }): Envelope => ({ sequence: sequence!, chunk }))
  const accumulator = fold([...items.slice(0, 4), ...items.slice(0, 4), ...again.slice(0, 2), ...items.slice(4)])
  expect(accumulator.message).toEqual(messageOf(chunks))
  expect(accumulator.counts.get('STREAM_DUPLICATE')).toBe(6)
})

test('what is still held at the end is delivered, with a diagnostic', () => {
  const items = enveloped().filter(item => item.sequence !== 2)
  const accumulator = fold(items)
  expect(accumulator.message!.parts).toMatchObject([{ text: '' }])
  accumulator.end()
  expect(accumulator.message!.parts).toMatchObject([{ text: 'two three' }])
  expect(accumulator.message!.status).toBe('sent')
  expect(accumulator.counts.get('STREAM_GAP')).toBe(1)
})

test('a gap of more than 1 000 is skipped, with a diagnostic', () => {
  const late = Array.from(
    { length: limits.envelopeGap + 1 },
    (_, index): Envelope => ({
      sequence: index + 5,
      chunk: { type: 'text-delta', id: 't', delta: 'x' },
    }),
  )
  const accumulator = fold([{ sequence: 0, chunk: start() }, ...late])
  expect(accumulator.message!.parts).toMatchObject([{ text: 'x'.repeat(limits.envelopeGap + 1) }])
  expect(accumulator.counts.get('STREAM_GAP')).toBe(1)
})

test.each([Number.NaN, 1.5, Number.POSITIVE_INFINITY, '3' as unknown as number])(
  'a sequence of %s is not counted on',
  sequence => {
    const accumulator = fold([start(), { sequence, chunk: { type: 'text-delta', id: 't', delta: 'x' } }])
    expect(accumulator.message!.parts).toMatchObject([{ text: 'x' }])
    expect(accumulator.counts.get('STREAM_BAD_SEQUENCE')).toBe(1)
  },
)
