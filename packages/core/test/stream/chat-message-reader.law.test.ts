import { type Chunk, toChatMessage } from 'argot'
import { chatMessageReader } from 'argot/stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { anyHostileStream, anyScript } from './arbitrary.ts'
import { fixture, fixtures } from './fixtures.ts'
import { folder, same } from './laws.ts'

/** Whenever it is asked, a reader has the record of the message, and what it gave before is what it was. */
function expectFollowed(chunks: readonly Chunk[], every: number): void {
  const folding = folder()
  const reader = chatMessageReader(folding.reader())
  const given: { record: unknown; shown: string }[] = []
  const look = (): void => {
    const record = reader.read()
    const { message } = folding
    same(record, message === undefined ? undefined : toChatMessage(message))
    if (reader.read() !== record) throw new Error('The record is another although nothing has changed.')
    given.push({ record, shown: JSON.stringify(record) ?? '' })
  }
  for (const [index, chunk] of chunks.entries()) {
    folding.push(chunk)
    if (index % every === 0) look()
  }
  folding.end()
  look()
  for (const { record, shown } of given) same(JSON.stringify(record) ?? '', shown)
}

describe.each(fixtures)('%s', name => {
  test.each([1, 3])('a record that is kept by changes is that of the message, asked every %s chunks', every => {
    expectFollowed(fixture(name), every)
  })
})

test('a record that is kept by changes is that of the message, for legal and for hostile streams', () => {
  const streams = fc.oneof(
    anyScript({ silence: true }).map(({ chunks }) => chunks),
    anyHostileStream({ length: 40 }),
  )
  fc.assert(
    fc.property(streams, fc.integer({ min: 1, max: 5 }), (chunks, every) => expectFollowed(chunks, every)),
    { numRuns: shareOf(2000) },
  )
})

test('calls that did not change are the same objects in the next record', () => {
  const folding = folder()
  const reader = chatMessageReader(folding.reader())
  folding.push({ type: 'start', messageId: 'm' })
  folding.push({ type: 'tool-input-available', toolCallId: 'a', toolName: 'look', input: {} })
  folding.push({ type: 'tool-input-start', toolCallId: 'b', toolName: 'look' })
  const first = reader.read()!
  folding.push({ type: 'tool-input-delta', toolCallId: 'b', inputTextDelta: '{"x":1' })
  folding.push({ type: 'text-delta', id: 't', delta: 'So' })
  const second = reader.read()!
  expect(second.toolCalls).toMatchObject([{ id: 'a' }, { id: 'b' }])
  expect(second.toolCalls![0]).toBe(first.toolCalls![0])
  folding.push({ type: 'text-delta', id: 't', delta: ' it is.' })
  expect(reader.read()!.toolCalls).toBe(second.toolCalls)
})
