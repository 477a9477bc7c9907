import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linkDefinitions, markdownBlocks, noBlocks } from '../../src/bodies/markdown-blocks.ts'
import { safeUrl } from '../../src/bodies/safe-url.ts'

const pieces = [
  '# a\n',
  '\n',
  'text ',
  'more\n',
  '```\n',
  '```',
  '- one\n',
  '  two\n',
  '1. x\n',
  '| a | b |\n',
  '> q\n',
  '~~~\n',
]
const source = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map(parts => parts.join(''))

test('the blocks of a text are the text', () => {
  fc.assert(
    fc.property(source, text => {
      expect(markdownBlocks(text).blocks.join('')).toBe(text)
    }),
  )
})

test('a text that grows has the same blocks as one that came at once, and keeps those that are finished', () => {
  fc.assert(
    fc.property(source, fc.integer({ min: 1, max: 7 }), (text, step) => {
      let read = noBlocks
      for (let end = step; end < text.length + step; end += step) {
        const before = read
        read = markdownBlocks(text.slice(0, end), read)
        expect(read.blocks.slice(0, before.blocks.length - 1)).toEqual(before.blocks.slice(0, -1))
      }
      expect(read.blocks).toEqual(markdownBlocks(text).blocks)
    }),
  )
})

test.each([
  ['paragraphs', 'a\n\nb', ['a\n\n', 'b']],
  ['a fence with a blank line', '```\na\n\nb\n```\n\nc', ['```\na\n\nb\n```\n\n', 'c']],
  ['a loose list', '- a\n\n- b\n\nc', ['- a\n\n- b\n\n', 'c']],
  ['a list with a paragraph in it', '1. a\n\n   b\n\n2. c', ['1. a\n\n   b\n\n2. c']],
])('%s are blocks of their own', (_, text, blocks) => {
  expect(markdownBlocks(text).blocks).toEqual(blocks)
})

test('definitions of links hold for all blocks', () => {
  expect(linkDefinitions(['see [a][1]\n\n', '[1]: https://example.com\n'])).toContain('[1]: https://example.com')
  expect(linkDefinitions(['no [links]'])).toBe('')
})

test.each(['https://a.b/c', 'http://a', 'mailto:a@b', 'tel:1', '/path', 'a/b.html', '#part', '?q=a:b', './a:b'])(
  '%s is a link',
  url => {
    expect(safeUrl(url)).toBe(url)
  },
)

test.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  ' javascript:alert(1)',
  'java\u200bscript:alert(1)',
  'data:text/html,<script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://a',
])('%j is no link', url => {
  expect(safeUrl(url)).toBeUndefined()
})
