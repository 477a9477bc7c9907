import { type Chunk, type Message, replay } from '@argot/core'
import { messageToChunks } from '@argot/core/stream'
import type { CommentaryPolicy } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyScript } from './arbitrary.ts'
import { cases, fold, same } from './laws.ts'

test('a message played again as a stream is the same message, whatever the policy was', () => {
  fc.assert(
    fc.property(anyScript(), fc.constantFrom<CommentaryPolicy>('provisional', 'defer'), ({ chunks }, commentary) => {
      const [message] = fold(chunks, { commentary })
      same(fold(messageToChunks(message!))[0], message)
    }),
    { numRuns: cases },
  )
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
