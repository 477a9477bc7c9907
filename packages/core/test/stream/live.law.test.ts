import type { Accumulator, Chunk, Message } from '@argot/core'
import type { AccumulatorState } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyHostileStream, anyScript } from './arbitrary.ts'
import { fixture, fixtures } from './fixtures.ts'
import { cases, folder, same } from './laws.ts'

/** The live message, copied. */
function copied({ live }: Accumulator): Message | undefined {
  if (live === undefined) return undefined
  return { ...live.fields(), parts: Array.from({ length: live.length }, (_, index) => live.part(index)!) }
}

/** What the live message shows is the message, whenever anybody looks. */
function expectLive(chunks: readonly Chunk[]): void {
  const folding = folder()
  same(copied(folding), folding.message)
  for (const chunk of chunks) {
    folding.push(chunk)
    same(copied(folding), folding.message)
    const { id, status, length } = folding.live ?? {}
    same([id, status, length], [folding.message?.id, folding.message?.status, folding.message?.parts.length])
  }
  same(folding.live?.part(folding.live.length), undefined)
}

test.each(fixtures)('%s: the live message is the message after every chunk', name => expectLive(fixture(name)))

// Each chunk is compared with the whole message, so there are fewer streams than behind other laws.
const numRuns = Math.ceil(cases / 20)

test('the live message of a legal stream is its message', () => {
  fc.assert(
    fc.property(anyScript(), ({ chunks }) => expectLive(chunks)),
    { numRuns },
  )
})

test('the live message of a hostile stream is its message', () => {
  fc.assert(fc.property(anyHostileStream(), expectLive), { numRuns })
})

test('the last message of a state without an open one is live too', () => {
  const whole = folder()
  for (const chunk of fixture('three-steps')) whole.push(chunk)
  whole.end()
  const state: AccumulatorState = { ...folder().toJSON(), finished: [whole.message!] }
  const resumed = folder({ state })
  same(copied(resumed), whole.message)
  expect(resumed.live?.length).toBe(whole.message!.parts.length)
})
