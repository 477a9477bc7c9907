import { expect, test } from 'vitest'
import { codeBlocks } from './code-blocks.ts'

test('reads the blocks of a page with language, place and the example above', () => {
  const page = [
    '# Title',
    '<!-- example: examples/01-parse.ts -->',
    '```ts',
    'const a = 1',
    '',
    '```',
    'text',
    '```',
    'plain',
    '```',
  ]
  expect(codeBlocks(page.join('\n'))).toEqual([
    { line: 3, language: 'ts', example: 'examples/01-parse.ts', code: 'const a = 1\n\n' },
    { line: 8, language: '', example: undefined, code: 'plain\n' },
  ])
})

test('takes a fence inside a longer one, or inside one of the other kind, as code', () => {
  expect(codeBlocks('````md\n```ts\na\n```\n````\n~~~ts\n```\n~~~').map(({ code }) => code)).toEqual([
    '```ts\na\n```\n',
    '```\n',
  ])
})

test('takes a mark that is not right above the fence as no mark', () => {
  expect(codeBlocks('<!-- example: a.ts -->\n\n```ts\n```')[0]?.example).toBeUndefined()
})

test('ends a block that never closes with the page', () => {
  expect(codeBlocks('```ts\na')).toEqual([{ line: 1, language: 'ts', example: undefined, code: 'a\n' }])
})
