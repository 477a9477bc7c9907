import { type Accumulator, accumulate, type Chunk } from '@argot/core'
import { limits } from '@argot/core/stream'
import { type AccumulateOptions, isChunk } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { anyHostileStream, anyScript, throughCommentary } from './arbitrary.ts'
import { fixture, fixtures } from './fixtures.ts'
import { asJson, fold, folder, same } from './laws.ts'

/** A law on fewer cases than others have: each is folded twice, and looked at after every chunk. */
function check<T>(arbitrary: fc.Arbitrary<T>, law: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, law), { numRuns: shareOf(1000) })
}

/** Everything that a fold tells after each chunk, with the changes of calls that it reported. */
function told(chunks: readonly Chunk[], options: AccumulateOptions): unknown {
  const changes: unknown[] = []
  let time = 0
  const folding = folder({
    ...options,
    now: () => time++,
    onToolCall: ({ toolCall }) => changes.push(asJson(toolCall)),
  })
  const seen = chunks.map(chunk => {
    folding.push(chunk)
    return asJson(folding.message ?? null)
  })
  folding.end()
  return { seen, changes, end: end(folding) }
}

function end({ messages, diagnostics, counts }: Accumulator): unknown {
  return asJson({ messages, diagnostics, counts: [...counts] })
}

describe('the chunks of this process, which nobody checks', () => {
  test.each(fixtures)('give the same messages as when they are checked: %s', name => {
    const chunks = fixture(name)
    same(told(chunks, { own: true }), told(chunks, {}))
  })

  test('give the same in every legal stream', () => {
    check(anyScript(), ({ chunks }) => {
      same(told(chunks, { own: true }), told(chunks, {}))
    })
  })

  test('may hold what a model wrote: half a surrogate pair is repaired as ever', () => {
    const folding = accumulate({ own: true })
    folding.push({ type: 'start', messageId: 'm' })
    folding.push({ type: 'text-start', id: 't' })
    for (const delta of ['a\ud83d', '\ude00b', '\ud83d', 'c']) folding.push({ type: 'text-delta', id: 't', delta })
    folding.end()
    expect(folding.message?.parts[0]).toMatchObject({ text: 'a😀b\ufffdc' })
    expect(folding.counts.get('STREAM_LONE_SURROGATE')).toBe(1)
  })

  test('keep to the limits that protect memory', () => {
    const folding = accumulate({ own: true })
    const delta = 'x'.repeat(limits.messageLength / 8)
    folding.push({ type: 'start', messageId: 'm' })
    folding.push({ type: 'tool-input-start', toolCallId: 'c', toolName: 'write' })
    folding.push({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: `"${delta}` })
    for (let count = 0; count < 9; count++) folding.push({ type: 'text-delta', id: 't', delta })
    expect(folding.counts.get('STREAM_CALL_TOO_LONG')).toBe(1)
    expect(folding.counts.get('STREAM_MESSAGE_TOO_LONG')).toBe(1)
  })

  test('can be saved and resumed at any chunk', () => {
    for (const name of fixtures) {
      let folding = folder({ own: true })
      for (const chunk of fixture(name)) {
        folding.push(chunk)
        folding = folder({ own: true, state: asJson(folding.toJSON()) })
      }
      const whole = folder({ own: true })
      for (const chunk of fixture(name)) whole.push(chunk)
      same(end(folding), end(whole))
    }
  })
})

describe('a stream whose phases are given', () => {
  const given: AccumulateOptions = { commentary: 'given' }

  test.each(fixtures)('is not decided again: %s', name => {
    const chunks = throughCommentary(fixture(name))
    same(told(chunks, given), told(chunks, {}))
    same(told(chunks, { ...given, own: true }), told(chunks, {}))
  })

  test('gives the same in every legal stream', () => {
    check(anyScript(), script => {
      const chunks = throughCommentary(script.chunks)
      same(told(chunks, given), told(chunks, {}))
    })
  })

  test('gives the same messages in the end where texts had waited, and in any stream of chunks', () => {
    check(anyScript(), script => {
      const chunks = throughCommentary(script.chunks, 'defer')
      same(asJson(fold(chunks, given)), asJson(fold(chunks)))
    })
    check(anyHostileStream({ json: true }), stream => {
      const chunks = throughCommentary(stream.filter(isChunk))
      same(asJson(fold(chunks, given)), asJson(fold(chunks)))
    })
  })

  test('keeps a text pending of which nobody said what it is for', () => {
    const chunks: Chunk[] = [
      { type: 'start-step' },
      { type: 'text-start', id: 't' },
      { type: 'text-end', id: 't' },
      { type: 'finish-step' },
    ]
    expect(fold(chunks, given)[0]?.parts[1]).toMatchObject({ state: 'done', phase: 'pending' })
    expect(fold(chunks)[0]?.parts[1]).toMatchObject({ state: 'done', phase: 'final' })
  })
})
