import { expect, test } from 'vitest'
import { codeBlocks } from './code-blocks.ts'

const plain = { language: '', file: undefined, example: undefined, mark: undefined }

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
    { ...plain, line: 3, language: 'ts', example: 'examples/01-parse.ts', code: 'const a = 1\n\n' },
    { ...plain, line: 8, code: 'plain\n' },
  ])
})

test('reads the file of a block, and the mark above it with the code that the page leaves out', () => {
  const page = '<!-- fragment: in a component\ndeclare const a: string\n-->\n```tsx file=app.tsx\n<b>{a}</b>\n```'
  const mark = { kind: 'fragment', reason: 'in a component', around: 'declare const a: string\n' }
  expect(codeBlocks(page)).toEqual([
    { ...plain, line: 4, language: 'tsx', file: 'app.tsx', mark, code: '<b>{a}</b>\n' },
  ])
})

test('takes the indentation of a block in a list away', () => {
  expect(codeBlocks('1. Do:\n\n   ```sh\n   cat <<END\n     a\n\n   END\n   ```')[0]?.code).toBe(
    'cat <<END\n  a\n\nEND\n',
  )
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
  expect(codeBlocks('```ts\na')).toEqual([{ ...plain, line: 1, language: 'ts', code: 'a\n' }])
})
