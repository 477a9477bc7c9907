import type { Chunk } from '@argot/core'
import type { AccumulatorState, CommentaryPolicy } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { test } from 'vitest'
import { anyHostileStream, anyScript, throughCommentary } from './arbitrary.ts'
import { asJson, cases, folder, same } from './laws.ts'

/** Everything that an accumulator tells, as JSON has it. */
function told(folding: ReturnType<typeof folder>): unknown {
  return asJson({ messages: folding.messages, counts: [...folding.counts].sort(), diagnostics: folding.diagnostics })
}

/** Folds the whole stream, and once more saved and resumed after every chunk; both must tell the same. */
function expectResumable(chunks: readonly Chunk[], commentary: CommentaryPolicy): void {
  const whole = folder({ commentary })
  let next = 0
  const nextId = (): string => `generated-${next++}`
  let resumed = folder({ commentary, nextId })
  for (const chunk of chunks) {
    whole.push(chunk)
    resumed.push(chunk)
    const state = JSON.parse(JSON.stringify(resumed)) as AccumulatorState
    resumed = folder({ commentary, nextId, state })
  }
  same(told(resumed), told(whole))
  whole.end()
  resumed.end()
  same(told(resumed), told(whole))
}

const anyPolicy = fc.constantFrom<CommentaryPolicy>('provisional', 'defer')

test('a legal stream that is saved and resumed after every chunk gives the same message', () => {
  fc.assert(
    fc.property(anyScript({ silence: true }, 40), anyPolicy, fc.boolean(), ({ chunks }, policy, phased) => {
      expectResumable(phased ? throughCommentary(chunks) : chunks, policy)
    }),
    { numRuns: cases },
  )
})

test('a hostile stream that is saved and resumed after every chunk gives the same messages and diagnostics', () => {
  fc.assert(fc.property(anyHostileStream({ length: 40 }), anyPolicy, expectResumable), { numRuns: cases })
})
