import { checkChatMd, formatChatMd } from '@argot/core/chatmd'
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

test.each([
  `<tool_response tool_call_id="c"><tool_response \n<doc  local src='a' ></doc>\n</tool_response>\n\n<user/>\n`,
  '<tool_response tool_call_id="c"> <tool_response \n</tool_response>\n',
  '<assistant><tool_call x\n</assistant>\n',
])('a text that begins like a tag is not moved to a line of its own, where it would be one: %s', source => {
  expect(formatChatMd(source)).toBe(source)
})

test('checking never throws', () => {
  fc.assert(
    fc.property(anyText, source => {
      checkChatMd(source)
    }),
    { numRuns: runs(2000) },
  )
})
