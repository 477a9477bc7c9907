import type { Chunk } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { expect, test } from 'vitest'
import { anyScript, throughCommentary } from './arbitrary.ts'
import { check, fold, same } from './laws.ts'

test.each(['provisional', 'defer'] as const)('a stream that was given its phases passes unchanged (%s)', policy => {
  check(anyScript({ silence: true }), ({ chunks }) => {
    const once = throughCommentary(chunks, policy)
    same(throughCommentary(once, policy), once)
  })
})

test('a reader that decides for itself sees what the sender decided', () => {
  check(anyScript({ silence: true }), ({ chunks }) => {
    same(fold(throughCommentary(chunks)), fold(chunks))
  })
})

/** The first chunk from `at` on that does not end a text; half a character that is left over belongs to the end. */
function deciderAfter(chunks: readonly Chunk[], at: number): Chunk | undefined {
  const isHalf = (chunk: Chunk | undefined): boolean =>
    chunk?.type === 'text-delta' && chunk.delta.length === 1 && !chunk.delta.isWellFormed()
  return chunks.find((chunk, index) => {
    if (index < at || chunk.type === 'text-end' || isHalf(chunk)) return false
    return chunk.type !== 'text-start' || !isHalf(chunks[index + 1])
  })
}

const deciders: ReadonlySet<string> = new Set([
  'tool-input-start',
  'tool-input-available',
  'tool-input-error',
  'finish-step',
  'start-step',
  'finish',
])

test('a decision stands just before the chunk that decides it', () => {
  check(anyScript({ remainders: false }), ({ chunks }) => {
    const out = throughCommentary(chunks)
    out.forEach((chunk, at) => {
      if (chunk.type !== 'text-end') return
      const own = argotMetadata(chunk)
      expect(own?.phase !== undefined || own?.state === 'aborted' || isGiven(out, chunk.id)).toBe(true)
      if (own?.toolCallId === undefined) return
      const decider = deciderAfter(out, at)
      expect(deciders).toContain(decider?.type)
      if (decider !== undefined && 'toolCallId' in decider) expect(decider.toolCallId).toBe(own.toolCallId)
    })
  })
})

function isGiven(chunks: readonly Chunk[], id: string): boolean {
  return chunks.some(
    chunk => chunk.type === 'text-start' && chunk.id === id && argotMetadata(chunk)?.phase !== undefined,
  )
}

test('the transform leaves every chunk alone that is not text', () => {
  check(anyScript({ silence: true }), ({ chunks }) => {
    const others = (list: readonly Chunk[]): Chunk[] => list.filter(chunk => !chunk.type.startsWith('text-'))
    same(others(throughCommentary(chunks)), others(chunks))
  })
})
