import type { Chunk } from '@argot/core'
import { messageToChunks } from '@argot/core/stream'
import type { AccumulatorState, CommentaryPolicy } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { anyHostileStream, anyScript } from './arbitrary.ts'
import { Copy } from './changes.ts'
import { fixture, fixtures } from './fixtures.ts'
import { cases, folder, same } from './laws.ts'

/** When a reader asks: after how many chunks each time, in turn. */
type Rhythm = readonly number[]

/** Readers of several rhythms follow a stream; whenever one asks, its copy is what the accumulator has. */
function expectFollowed(chunks: readonly Chunk[], rhythms: readonly Rhythm[], commentary?: CommentaryPolicy): void {
  const folding = folder({ commentary })
  const followers = rhythms.map(rhythm => ({ reader: folding.reader(), copy: new Copy(), rhythm, turn: 0, wait: 0 }))
  for (const chunk of chunks) {
    folding.push(chunk)
    for (const follower of followers) {
      if (--follower.wait > 0) continue
      follower.wait = follower.rhythm[follower.turn++ % follower.rhythm.length]!
      follower.copy.apply(follower.reader.changes())
      same(follower.copy.messages, folding.messages)
    }
  }
  folding.end()
  for (const { reader, copy } of followers) {
    copy.apply(reader.changes())
    same(copy.messages, folding.messages)
    same(reader.changes(), [])
  }
}

const anyRhythms = fc.array(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
})
const anyPolicy = fc.constantFrom<CommentaryPolicy>('provisional', 'defer')

describe.each(fixtures)('%s', name => {
  test('copies that several readers keep are the messages', () => {
    expectFollowed(fixture(name), [[1], [2], [7, 1], [1000]])
  })

  test('a copy that moves to a resumed accumulator is the message after every chunk', () => {
    let folding = folder()
    for (const chunk of fixture(name)) {
      folding.push(chunk)
      folding = folder({ state: JSON.parse(JSON.stringify(folding)) as AccumulatorState })
      const copy = new Copy()
      copy.apply(folding.reader().changes())
      same(copy.message, folding.message)
    }
  })
})

test('copies of a legal stream are the messages, whenever their readers ask', () => {
  fc.assert(
    fc.property(anyScript({ silence: true }), anyRhythms, anyPolicy, ({ chunks }, rhythms, policy) =>
      expectFollowed(chunks, rhythms, policy),
    ),
    { numRuns: cases },
  )
})

test('copies of a hostile stream are the messages, whenever their readers ask', () => {
  fc.assert(
    fc.property(anyHostileStream(), anyRhythms, anyPolicy, (chunks, rhythms, policy) =>
      expectFollowed(chunks, rhythms, policy),
    ),
    { numRuns: cases },
  )
})

test('what a reader was told never changes', () => {
  fc.assert(
    fc.property(anyHostileStream({ length: 40 }), chunks => {
      const folding = folder()
      const reader = folding.reader()
      const told = chunks.map(chunk => {
        folding.push(chunk)
        const changes = reader.changes()
        return { changes, shown: JSON.stringify(changes) }
      })
      folding.end()
      for (const { changes, shown } of told) same(JSON.stringify(changes), shown)
    }),
    { numRuns: shareOf(2000) },
  )
})

test('a reader that starts in the middle begins with the newest message', () => {
  fc.assert(
    fc.property(anyHostileStream(), fc.nat(30), (chunks, start) => {
      const folding = folder()
      for (const chunk of chunks.slice(0, start)) folding.push(chunk)
      const reader = folding.reader()
      const copy = new Copy()
      for (const chunk of chunks.slice(start)) {
        folding.push(chunk)
        copy.apply(reader.changes())
        same(copy.message, folding.message)
      }
    }),
    { numRuns: shareOf(2000) },
  )
})

test('a replayed message is followed as it was written', () => {
  for (const name of fixtures) {
    const folding = folder()
    for (const chunk of fixture(name)) folding.push(chunk)
    folding.end()
    for (const message of folding.messages) expectFollowed(messageToChunks(message), [[1], [3]])
  }
  expect(fixtures.length).toBeGreaterThan(0)
})
