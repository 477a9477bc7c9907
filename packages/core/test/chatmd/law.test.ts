import { checkChatMd, formatChatMd, parseChatMd, parseTree, printChatMd, tokenize } from '@argot/core/chatmd'
import { parseChecked } from '@argot/core/chatmd/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText, documents, runs } from './documents.ts'

test('printing the tree gives the source back, whatever it is', () => {
  fc.assert(
    fc.property(anyText, source => {
      const { document } = parseChatMd(source)
      expect(printChatMd(document)).toBe(source)
    }),
    { numRuns: runs(3000) },
  )
})

test('a tree that was built before gives the document and the diagnostics of its text, as often as it is asked', () => {
  fc.assert(
    fc.property(anyText, source => {
      const tree = parseTree(source)
      const expected = parseChecked(source, { file: 'a.chatmd' })
      for (let time = 0; time < 2; time++) expect(parseChecked(tree, { file: 'a.chatmd' })).toEqual(expected)
    }),
    { numRuns: runs(1000) },
  )
})

test('the tokens of a text cover it without gap or overlap', () => {
  fc.assert(
    fc.property(anyText, source => {
      let at = 0
      for (const token of tokenize(source)) {
        expect(token.start).toBe(at)
        expect(token.end).toBeGreaterThan(token.start)
        at = token.end
      }
      expect(at).toBe(source.length)
    }),
    { numRuns: runs(2000) },
  )
})

test('every diagnostic has a range inside the text, a sentence and a code', () => {
  fc.assert(
    fc.property(anyText, source => {
      for (const { range, message, code } of parseChatMd(source).diagnostics) {
        expect(code).toMatch(/^CHATMD_/)
        expect(message).toMatch(/\.$/)
        expect(range!.start.offset).toBeLessThanOrEqual(range!.end.offset)
        expect(range!.end.offset).toBeLessThanOrEqual(source.length)
      }
    }),
    { numRuns: runs(1000) },
  )
})

test('a well-formed document has no error', () => {
  fc.assert(
    fc.property(documents, source => {
      const errors = parseChatMd(source).diagnostics.filter(one => one.severity === 'error')
      expect(errors).toEqual([])
    }),
    { numRuns: runs(1000), examples: [['<user\nsrc state\nid></user>'], ['<user\nx-y a:b\r\n local id=é></user>']] },
  )
})

test.each([
  ['RAW', 'RAW|\n<user>\n'],
  ['comments', '<!--\n<user>\n'],
  ['quotes', '<user a="\n'],
  ['comments in quotes', '<user a="<!--\n'],
  ['tags', '<user '],
  ['elements', '<user>\n'],
  ['agents', '<agent src=a>'],
  ['closing tags', '</user>'],
  ['backslashes', '<user a="\\\\\\\\'],
  ['backticks', '<user>` <doc src="a"/> ``\n'],
  ['attributes', '<user a a=b c="d" '],
  ['lines of flags', '<user\na b\nc="'],
])('a long text of %s that never close takes no long time', (_, shard) => {
  const source = shard.repeat(300_000 / shard.length)
  // The processor's time, which others on the machine do not add to.
  const start = process.cpuUsage()
  checkChatMd(source)
  formatChatMd(source)
  expect(printChatMd(parseChatMd(source).document)).toBe(source)
  const { user, system } = process.cpuUsage(start)
  expect((user + system) / 1000).toBeLessThan(10_000)
})
