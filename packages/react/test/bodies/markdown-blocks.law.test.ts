import fc from 'fast-check'
import { compiler } from 'markdown-to-jsx/react'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import remend from 'remend'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import {
  BlockReader,
  linkDefinitions,
  markdownBlocks,
  noBlocks,
  plainBlock,
} from '../../src/bodies/markdown/markdown-blocks.ts'
import MarkdownBody from '../../src/bodies/markdown/markdown-body.tsx'
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
  '* one\n',
  '+',
  '-',
  '1',
  '23',
  '.',
  ') ',
  '1) x\n',
  '- ```\n',
  '   1. ~~~\n',
  '    ```\n',
  '===\n',
  '---\n',
  '<div>\n',
  '\r\n',
]
const source = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map(parts => parts.join(''))

test('the blocks of a text are the text', () => {
  fc.assert(
    fc.property(source, text => {
      expect(markdownBlocks(text).blocks.join('')).toBe(text)
    }),
  )
})

/** Reads a text in steps; at each of them its blocks are those of the text so far, and the finished ones are kept. */
function grow(text: string, step: number): void {
  let read = noBlocks
  for (let end = step; end < text.length + step; end += step) {
    const before = read
    read = markdownBlocks(text.slice(0, end), read)
    expect(read.blocks.slice(0, before.blocks.length - 1)).toEqual(before.blocks.slice(0, -1))
    expect(read.blocks).toEqual(markdownBlocks(text.slice(0, end)).blocks)
  }
}

test('a text that grows has the same blocks as one that came at once, and keeps those that are finished', () => {
  fc.assert(fc.property(source, fc.integer({ min: 1, max: 7 }), grow), { numRuns: shareOf(1000) })
})

test.each([
  '- one\n\n1. x\n',
  '- one\n\n1) x\n',
  '1. one\n\n23. x\n',
  '* one\n\n+ x\n',
  '- one\n\n1\n\n2. x\n',
  '- one\n\n1234567890\n',
  'so:\n1. one\n\n2. x\n',
  '- one\r\n\r\n1. x\r\n',
])('%j has the same blocks, one character after the other and at once', text => {
  grow(text, 1)
})

test.each([
  ['paragraphs', 'a\n\nb', ['a\n\n', 'b']],
  ['a fence with a blank line', '```\na\n\nb\n```\n\nc', ['```\na\n\nb\n```\n\n', 'c']],
  ['a loose list', '- a\n\n- b\n\nc', ['- a\n\n- b\n\n', 'c']],
  ['a list with a paragraph in it', '1. a\n\n   b\n\n2. c', ['1. a\n\n   b\n\n2. c']],
  ['a list and what leads to it', 'so:\n1. a\n\n2. b\n\nc', ['so:\n1. a\n\n2. b\n\n', 'c']],
  ['an indented list', '  - a\n\n- b\n\nc', ['  - a\n\n- b\n\n', 'c']],
  ['a list and a number', '- a\n\n12\n', ['- a\n\n', '12\n']],
  ['a list that begins with a fence', '- ```\n  a\n  ```\n\nb\n\nc', ['- ```\n  a\n  ```\n\n', 'b\n\n', 'c']],
  ['a fence in an item that ends', '- ~~~\n~~~\n\na\n', ['- ~~~\n~~~\n\na\n']],
  ['a fence with an indented fence', '```\n    ```\n\na\n```\n\nb', ['```\n    ```\n\na\n```\n\n', 'b']],
  ['code between three marks', '```a``` b\n\nc', ['```a``` b\n\n', 'c']],
])('%s are blocks of their own', (_, text, blocks) => {
  expect(markdownBlocks(text).blocks).toEqual(blocks)
})

test('definitions of links hold for all blocks', () => {
  expect(linkDefinitions(['- ```\n\n[a]: u\n'])).toBe('[a]: u\n\n')
  expect(linkDefinitions(['see [a][1]\n\n', '[1]: https://example.com\n'])).toContain('[1]: https://example.com')
  expect(linkDefinitions(['no [links]'])).toBe('')
})

test.each([
  ['code', '```ts\nconst a = {\n  [key]: 1,\n}\n```\n'],
  ['code that is not closed', '~~~\n[key]: 1\n'],
  ['code after an item that ends', '- ~~~\n~~~\n[key]: 1\n'],
  ['code in a list', '- ```\n  [key]: 1\n  ```\n'],
  ['a sentence', '[1]: Smith and others, 2020\n'],
  ['a title that is not closed', '[1]: a "b\n'],
  ['an empty name', '[ ]: a\n'],
  ['a footnote', '[^1]: https://a.b\n'],
])('%s defines no link', (_, text) => {
  expect(linkDefinitions([text])).toBe('')
})

test.each(['[a]: u', '  [a b]: <u v> "t"', "[1]: https://a.b/c 't'", '[a]: u (t)\r', '[ a]:u'])(
  '%j defines a link',
  line => {
    expect(linkDefinitions([`    \`\`\`\nsee\n\`\`\`a\`\`\`\n${line}\n`])).toBe(`${line}\n\n`)
  },
)

test('a text is drawn block by block as it is drawn as a whole', () => {
  const links = ['see [a]\n', '\n[a]: u\n\n', '\n[b]: <v w> "t"\n\n', '- [b]\n', '\n[c]: no link\n\n', '\n  [a]: x\n']
  const lines = fc
    .array(fc.constantFrom(...pieces, '\n', '\n', ...links), { maxLength: 8 })
    .map(parts => parts.join(''))
  // What follows a line of text at once is a part of it, which Markdown does not take for a definition.
  const texts = lines.filter(text => !/\S[ \t\r]*\n *\[[abc]\]:/.test(text))
  const draw = (text: string): string =>
    renderToStaticMarkup(
      createElement('i', null, compiler(text, { wrapper: null, forceBlock: true, disableParsingRawHTML: true })),
    )
      .slice(3, -4)
      .replace(/ id="[^"]*"/g, '')
  fc.assert(
    fc.property(texts, text => {
      const { blocks } = markdownBlocks(text)
      const definitions = linkDefinitions(blocks)
      const drawn = blocks.map(block => draw(block.includes('[') ? definitions + block : block))
      expect(drawn.join('')).toBe(draw(text))
    }),
    { numRuns: shareOf(1000) },
  )
})

test('a formula that is being written is shown as it is written', () => {
  const drawn = renderToStaticMarkup(createElement(MarkdownBody, { text: '**a** $$b', isStreaming: true }))
  expect(drawn).toContain('$$b<')
})

test.each([
  ['code that is being written', '[a]: https://a.b\n\n```\nx[a]'],
  ['code that looks like a definition', '```\nconst x = {\n  [a]: 1,\n'],
  ['a sentence that looks like one', 'see [1]\n\nand [1]\n\n[1]: Smith and others\n'],
  ['a footnote', 'see[^1]\n\nand [b]\n\n[^1]: Smith\n'],
])('definitions add nothing to %s', (_, text) => {
  const drawn = renderToStaticMarkup(createElement(MarkdownBody, { text, isStreaming: true }))
  for (const word of ['https', '[a]', 'Smith']) {
    expect(drawn.split(word).length).toBeLessThanOrEqual(word === 'https' ? 1 : 2)
  }
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
      expect(remend(source, { katex: false }).trimEnd()).toBe(text)
    }),
  )
  expect(plain).toBeGreaterThan(5)
})
