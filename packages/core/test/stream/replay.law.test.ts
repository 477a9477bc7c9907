import { type Chunk, type Message, messageToChunks, replay } from 'argot'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyScript, throughCommentary } from './arbitrary.ts'
import { cases, check, fold, same } from './laws.ts'

test('a message played again as a stream is the same message', () => {
  check(anyScript(), ({ chunks }) => {
    const [message] = fold(chunks)
    same(fold(messageToChunks(message!))[0], message)
  })
})

test('a message of a deferred or phased stream played again is the same message', () => {
  check(anyScript(), ({ chunks }) => {
    for (const message of [...fold(chunks, { commentary: 'defer' }), ...fold(throughCommentary(chunks))]) {
      same(fold(messageToChunks(message))[0], message)
    }
  })
})

test('a log played again without its reset steps gives the message that the run gave', async () => {
  await fc.assert(
    fc.asyncProperty(anyScript(), async ({ chunks }) => {
      const log = chunks.map((chunk, o) => ({ o, t: o, chunk }))
      const played: Chunk[] = []
      for await (const chunk of replay(log, { speed: Number.POSITIVE_INFINITY })) played.push(chunk)
      expect(played.some(chunk => chunk.type === 'reset-step')).toBe(false)
      same(withoutKeys(fold(played)), withoutKeys(fold(chunks)))
    }),
    { numRuns: cases },
  )
})

/** A reset may have used up a number of a repeated id. */
function withoutKeys(messages: readonly Message[]): unknown {
  return JSON.parse(JSON.stringify(messages, (key, value: unknown) => (key === 'key' ? undefined : value)))
}
