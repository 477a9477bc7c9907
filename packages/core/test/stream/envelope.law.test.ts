import assert from 'node:assert/strict'
import type { Envelope } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { test } from 'vitest'
import { anyScript } from './arbitrary.ts'
import { cases, fold, folder, same } from './laws.ts'

/** The envelopes in an order in which each stands at most so many places from its own. */
function shuffled(envelopes: readonly Envelope[], random: readonly number[]): Envelope[] {
  return envelopes
    .map((envelope, index) => ({ envelope, rank: index + (random[index % random.length] ?? 0) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ envelope }) => envelope)
}

const anyMoves = fc.array(fc.nat(40), { minLength: 1, maxLength: 12 })

test('envelopes in any order and any of them twice give the same message as in order', () => {
  fc.assert(
    fc.property(anyScript(), anyMoves, anyMoves, fc.nat(3), fc.boolean(), ({ chunks }, moves, copies, base, named) => {
      const envelopes = chunks.map((chunk, index) => ({
        sequence: base + index,
        ...(named && { eventId: `e${index}` }),
        chunk,
      }))
      const twice = envelopes.flatMap((envelope, index) =>
        (copies[index % copies.length] ?? 0) % 3 === 0 ? [envelope, envelope] : [envelope],
      )
      const folding = folder()
      for (const envelope of shuffled(twice, moves)) folding.push(envelope)
      // Nothing may still wait: the end of the stream has no part in it.
      same(folding.messages, fold(chunks))
      assert(!folding.counts.has('STREAM_GAP'))
    }),
    { numRuns: cases },
  )
})
