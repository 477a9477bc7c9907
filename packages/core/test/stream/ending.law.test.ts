import type { Chunk } from '@argot/core'
import { SeamFilter, toEnding } from '@argot/core/stream'
import { type FinishReason, OpenParts, parkReason, toFinalReason } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finishReasons } from '../../src/stream/chunk.ts'
import { anyHostileStream, anyScript, throughCommentary } from './arbitrary.ts'
import { check, fold, folder, same } from './laws.ts'

test.each<[FinishReason | undefined, 'ended' | 'parked']>([
  ['stop', 'ended'],
  ['length', 'ended'],
  ['content-filter', 'ended'],
  ['tool-calls', 'parked'],
  ['error', 'ended'],
  ['other', 'ended'],
  [undefined, 'ended'],
  ['unknown' as FinishReason, 'ended'],
])('`finish` with the reason %j: %s', (finishReason, ending) => {
  expect(toEnding({ type: 'finish', ...(finishReason && { finishReason }) })).toBe(ending)
})

test('the table above has every finish reason, and one of them parks', () => {
  expect(finishReasons).toHaveLength(6)
  expect(finishReasons.filter(finishReason => toEnding({ type: 'finish', finishReason }) === 'parked')).toEqual([
    parkReason,
  ])
})

test('`abort` ends a stream, whatever else it says', () => {
  expect(toEnding({ type: 'abort', finishReason: parkReason } as Chunk)).toBe('ended')
})

test('no chunk but `finish` and `abort` ends a stream, whatever it is', () => {
  check(anyHostileStream({ length: 40 }), chunks => {
    for (const chunk of chunks) {
      // `accumulate` refuses these before it looks for an ending.
      if (chunk === null || chunk === undefined) continue
      const { type } = chunk
      same(toEnding(chunk) !== undefined, type === 'finish' || type === 'abort')
    }
  })
})

test.each(finishReasons)('the final reason of a run whose model said %j parks nothing', reason => {
  const final = toFinalReason(reason)
  expect(toEnding({ type: 'finish', finishReason: final })).toBe('ended')
  expect(final).toBe(reason === parkReason ? 'stop' : reason)
})

/** Where a run was parked and continued, as its log has it. */
const seam = (messageId: string): Chunk[] => [
  { type: 'finish', messageId, finishReason: parkReason },
  { type: 'start', messageId },
]

/** Puts one or more seams before each of these chunks; the first chunk is the `start` of the message. */
function plant(chunks: readonly Chunk[], places: readonly number[]): Chunk[] {
  const messageId = (chunks[0] as { messageId: string }).messageId
  return chunks.flatMap((chunk, index) => [
    ...places.filter(place => place === index).flatMap(() => seam(messageId)),
    chunk,
  ])
}

function withoutSeams(chunks: readonly Chunk[]): Chunk[] {
  const seams = new SeamFilter()
  return chunks.filter((chunk, index) => seams.keeps(chunk, index === chunks.length - 1))
}

const anyPlaces = fc.array(fc.nat(60), { maxLength: 8 })

test('a stream with any number of seams anywhere reads as the stream without them, chunk by chunk', () => {
  let planted = 0
  check(fc.tuple(anyScript({}, 40), anyPlaces), ([{ chunks }, places]) => {
    const inside = places.map(place => 1 + (place % Math.max(1, chunks.length - 1)))
    const whole = plant(chunks, inside)
    planted += whole.length - chunks.length
    same(withoutSeams(whole), chunks)
  })
  expect(planted).toBeGreaterThan(0)
})

/** The places at which a run can be parked: every text is complete, and each open call waits for someone outside. */
function quietPlaces(chunks: readonly Chunk[]): number[] {
  const folding = folder({ commentary: 'given' })
  const places: number[] = []
  chunks.forEach((chunk, index) => {
    const parts = folding.message?.parts ?? []
    const calls = parts.flatMap(part => ('toolInvocation' in part ? [part.toolInvocation] : []))
    const open = calls.filter(({ state, preliminary }) => preliminary === true || !state.startsWith('output-'))
    const isQuiet = open.every(({ state }) => state !== 'input-streaming' && state !== 'output-available')
    const isWritten = parts.every(part => !('state' in part) || part.state !== 'streaming')
    if (open.length > 0 && isQuiet && isWritten) places.push(index)
    folding.push(chunk)
  })
  return places
}

test('a run that was parked any number of times folds to the message of the run that never was', () => {
  let seams = 0
  check(fc.tuple(anyScript({}, 40), fc.nat()), ([script, choice]) => {
    const chunks = throughCommentary(script.chunks)
    const places = quietPlaces(chunks).filter((_, index) => ((choice >> (index % 20)) & 1) === 1)
    seams += places.length
    const expected = fold(chunks, { commentary: 'given' })
    const parked = plant(chunks, places)
    same(fold(parked, { commentary: 'given' }), expected)
    same(fold(withoutSeams(parked), { commentary: 'given' }), expected)
  })
  expect(seams).toBeGreaterThan(0)
})

/** The ids of the calls that a message still waits for. */
function waiting(chunks: readonly Chunk[]): string[] {
  const folding = folder({ commentary: 'given' })
  for (const chunk of chunks) folding.push(chunk)
  const calls = (folding.message?.parts ?? []).flatMap(part => ('toolInvocation' in part ? [part.toolInvocation] : []))
  return calls.filter(({ state }) => !state.startsWith('output-')).map(({ toolCallId }) => toolCallId)
}

test('a run that parks at any chunk keeps its end until it continues, and then folds to one message', () => {
  let continued = 0
  check(fc.tuple(anyScript({ silence: true }, 40), fc.nat()), ([script, place]) => {
    const chunks = throughCommentary(script.chunks)
    const messageId = (chunks[0] as { messageId: string }).messageId
    const before = chunks.slice(0, 1 + (place % chunks.length))
    if (before.some(chunk => toEnding(chunk) !== undefined)) return
    const open = new OpenParts()
    for (const chunk of before) open.watch(chunk)
    const parked = [...before, ...open.end({ type: 'finish', finishReason: parkReason })]
    same(withoutSeams(parked), parked)
    const ids = waiting(parked)
    if (ids.length === 0) return
    continued++
    const whole: Chunk[] = [
      ...parked,
      { type: 'start', messageId },
      ...ids.map((toolCallId): Chunk => ({ type: 'tool-output-available', toolCallId, output: 'yes' })),
      { type: 'finish', messageId, finishReason: 'stop' },
    ]
    const joined = withoutSeams(whole)
    same(
      joined.filter(({ type }) => type === 'start' || type === 'finish').map(({ type }) => type),
      ['start', 'finish'],
    )
    const [message, ...rest] = fold(joined, { commentary: 'given' })
    same(fold(whole, { commentary: 'given' }), [message, ...rest])
    same([rest.length, message?.finishReason], [0, 'stop'])
  })
  expect(continued).toBeGreaterThan(0)
})
