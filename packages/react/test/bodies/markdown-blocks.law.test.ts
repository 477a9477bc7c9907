import fc from 'fast-check'
import { compiler } from 'markdown-to-jsx/react'
import remend from 'remend'
import { expect, test } from 'vitest'
import {
  BlockReader,
  linkDefinitions,
  markdownBlocks,
  noBlocks,
  plainBlock,
} from '../../src/bodies/markdown/markdown-blocks.ts'
import { safeUrl } from '../../src/bodies/markdown/safe-url.ts'

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
])('%j is not a link', url => {
  expect(safeUrl(url)).toBeUndefined()
})

test('a text that grows has the definitions of one that came at once', () => {
  const defined = fc.array(fc.constantFrom(...pieces, '[a]: https://a.b\n', '[b]: x\n\n', 'see [a]\n\n'), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(defined, fc.integer({ min: 1, max: 7 }), (parts, step) => {
      const text = parts.join('')
      const reader = new BlockReader()
      for (let end = step; end < text.length + step; end += step) reader.read(text.slice(0, end))
      const lines = (found: string): string[] => found.split('\n').filter(line => line !== '')
      expect(lines(reader.definitions(false))).toEqual(lines(linkDefinitions(markdownBlocks(text).blocks)))
    }),
  )
})

test('a definition counts once its line is whole', () => {
  const reader = new BlockReader()
  reader.read('see [a]\n\n[a]: https://a.b/c')
  expect(reader.definitions(true)).toBe('')
  expect(reader.definitions(false)).toContain('[a]: https://a.b/c')
  reader.read('see [a]\n\n[a]: https://a.b/c\n')
  expect(reader.definitions(true)).toContain('[a]: https://a.b/c')
})

test('a block without marks is shown as Markdown would show it', () => {
  const word = fc.constantFrom(
    'a',
    'word',
    '1',
    '2.',
    '3)',
    '-',
    '+',
    '=',
    ':',
    'http:',
    '"q"',
    "it's",
    '(c)',
    '--',
    '…',
  )
  const more = fc.constantFrom('{x}', '$', '%', '^', ';', ',', '.', '?', 'ü', '你好', '👍', 'www', 'mailto:a', 'ftp:')
  const gap = fc.constantFrom(' ', '  ', '\n', '\t', ' \n', '\n\n', '')
  const any = fc.array(fc.tuple(fc.oneof(word, more, fc.string({ maxLength: 3 })), gap), { maxLength: 12 })
  let plain = 0
  fc.assert(
    fc.property(any, parts => {
      const [source = ''] = markdownBlocks(parts.flat().join('')).blocks
      const text = plainBlock(source)
      if (text === undefined) return
      plain++
      const made = compiler(source, { wrapper: null, forceBlock: true, disableParsingRawHTML: true }) as unknown
      expect(made).toMatchObject([{ type: 'p', key: '0', props: { children: [text] } }])
      expect(remend(source).trimEnd()).toBe(text)
    }),
  )
  expect(plain).toBeGreaterThan(5)
})
