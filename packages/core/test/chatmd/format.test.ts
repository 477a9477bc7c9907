import { checkChatMd, formatChatMd } from 'argot/chatmd'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText, documents, runs } from './documents.ts'
import { meaning } from './meaning.ts'

test('formatting twice is formatting once', () => {
  fc.assert(
    fc.property(fc.oneof(documents, anyText), source => {
      const once = formatChatMd(source)
      expect(formatChatMd(once)).toBe(once)
    }),
    { numRuns: runs(3000) },
  )
})

test('formatting keeps what a document means, to the character', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(documents, anyText), async source => {
      expect(await meaning(formatChatMd(source))).toBe(await meaning(source))
    }),
    { numRuns: runs(3000) },
  )
})

test('checking never throws', () => {
  fc.assert(
    fc.property(anyText, source => {
      checkChatMd(source)
    }),
    { numRuns: runs(2000) },
  )
})
