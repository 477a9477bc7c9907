import type { Chunk } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { fence, parse, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { textOf } from '../text-of.ts'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

/** A block of the tool `t` with these lines. */
const t = (...lines: string[]) => ['```tool t c', ...lines, '```'].join('\n')

/** What is written, and what is read. */
const readable: [string, string, string[]][] = [
  ['YAML', t('input:', '  a: [1, x]'), ['t {"a":[1,"x"]}']],
  ['JSON', t('{"input": {"a": [1, "x"]}}'), ['t {"a":[1,"x"]}']],
  ['JSON over lines, indented with tabs', t('{', '\t"input": {', '\t\t"a": 1', '\t}', '}'), ['t {"a":1}']],
  ['JSON with a result', t('{"input": {}, "state": "output-error", "error": "no"}'), ['t {}', 'failed "no"']],
  ['an empty block', t(), ['t {}']],
  ['`{}`', t('{}'), ['t {}']],
  ['assignments in any order', '```tool id=c name=t\ninput: {a: 1}\n```', ['t {"a":1}']],
  ['a header without names', '```tool\nname: t\ninput: {a: 1}\n```', ['t {"a":1}']],
  ['names of tools with hyphens', '```tool my-tool c\n```', ['my-tool {}']],
  [
    'CRLF and blanks behind the fences',
    '```tool t c \r\ninput:\r\n  a: x\r\n``` \r\n',
    ['t {"a":"x"}', 'text "\\r\\n"'],
  ],
  ['a longer fence', '`````tool t c\ninput: {a: 1}\n`````', ['t {"a":1}']],
  ['a closing fence that is longer', '```tool t c\ninput: {a: 1}\n``````', ['t {"a":1}']],
  [
    'a fence in a block of text',
    t('input:', '  a: |', '    ```js', '    x', '    ```'),
    ['t {"a":"```js\\nx\\n```\\n"}'],
  ],
  ['a fence in a block that is indented little', t('input: |', ' ```', ' x', ' ```'), ['t "```\\nx\\n```\\n"']],
  ['an indented block', '  ```tool t c\n  input: {a: 1}\n  ```\n', ['text "  "', 't {"a":1}', 'text "\\n"']],
  ['two in a row', `${t('input: {a: 1}')}\n${t('input: {a: 2}')}`, ['t {"a":1}', 'text "\\n"', 't {"a":2}']],
  ['a block behind a fence that is closed', `\`\`\`js\nx\n\`\`\`\n${t()}`, ['text "```js\\nx\\n```\\n"', 't {}']],
  ['half a reasoning tag behind it', `${t()}\n\n<thin`, ['t {}', 'text "\\n\\n<thin"']],
  ['an output beside an error', t('output: 5', 'error: late'), ['t {}', 'preview 5', 'failed "late"']],
]

/** What looks like a block and is text. */
const quoted: [string, string][] = [
  ['another language', '```toolbox\ninput: {}\n```'],
  ['`tool-result`', '```tool-result t c success\n5\n```'],
  ['a blank before the word', '``` tool t c\n```'],
  ['tildes', '~~~tool t c\ninput: {}\n~~~'],
  ['two backticks', '``tool t c``\n'],
  ['a code span', '```tool t c``` is a fence.'],
  ['a longer fence around it', '````\n```tool t c\ninput: {}\n```\n````'],
  ['a fence of tildes around it', '~~~\n```tool t c\n```\n~~~'],
  ['a quote', '> ```tool t c\n> input: {}\n> ```'],
  ['a list item', '- ```tool t c\n  input: {}\n  ```'],
  ['four blanks', '    ```tool t c\n    input: {}\n    ```'],
  ['reasoning', '<think>\n```tool t c\n```\n</think>'],
]

/** What is written, and the code and the message of its error. */
const wrong: [string, string, string, string][] = [
  [
    'a block that never closes',
    '```tool t c\ninput: {a: 1}\n',
    'SYNTAX_UNCLOSED_CALL',
    'The text ends before the line ```',
  ],
  ['a block without an id that never closes', '```tool t\ninput:\n  a: 1', 'SYNTAX_UNCLOSED_CALL', 'The text ends'],
  ['a block cut in its header', '```tool t', 'SYNTAX_UNCLOSED_CALL', 'The text ends'],
  ['a closing fence that is too short', '````tool t c\ninput: {}\n```', 'SYNTAX_UNCLOSED_CALL', 'the line ````'],
  ['a closing fence that is indented', '```tool t c\ninput: {}\n ```', 'SYNTAX_UNCLOSED_CALL', 'The text ends'],
  ['a third word', '```tool a b c\n```', 'SYNTAX_BAD_HEADER', 'Line 1, column 1: `c` is one word too many'],
  ['bad YAML', t('input:', '  a: b: c'), 'SYNTAX_BAD_YAML', 'Line 3, column 6: '],
  ['bad JSON', t('{"input": {"a": 1}'), 'SYNTAX_BAD_YAML', 'Line 2, column 19: '],
  ['an unknown state', t('state: done'), 'SYNTAX_BAD_STATE', 'Line 2, column 1: '],
  ['a duplicate key in JSON', t('{"input": {"a": 1, "a": 2}}'), 'SYNTAX_BAD_YAML', 'Line 2, column 20: '],
]

describe('the laws', () => {
  const shards = [
    ...[
      '```tool a b\n',
      '```tool\n',
      '```tool a\r\n',
      '````tool a b \n',
      '```tool name=a id=b',
      '```tool',
      '```',
      '``',
    ],
    ...['```toolbox\n', '```tool a b c\n', '```\n', '``` \r\n', '````\n', '  ```\n', '\n', '\r\n', ' ', '`', '~~~\n'],
    ...['input:\n', '  q: cats\n', 'input: {a: 1}\n', 'input: |\n', '  ```js\n', 'state: output-error\n', 'text'],
    ...['state: x\n', 'output: 5\n', 'error: "no"\n', 'id: c\n', 'name: d\n', 'note: *x\n', '"\n', '- a\n', '# c\n'],
    ...['{"input": {"a": 1}}\n', '---\n', ' q: 1\n', '}\n'],
  ]
  testConformance(fence, {
    test,
    shards,
    texts: [...readable, ...quoted, ...wrong].map(([, source]) => source),
  })
})

test('gives a call as one start, its input as JSON and as data, and its result', () => {
  expect(parse(fence, `I look.\n${t('input:', '  a: x', 'output: [1]')}\nDone.`)).toEqual([
    { type: 'text-start', id: 'text-0-1' },
    { type: 'text-delta', id: 'text-0-1', delta: 'I look.\n' },
    { type: 'text-end', id: 'text-0-1' },
    { type: 'tool-input-start', toolCallId: 'c', toolName: 't' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"a":"x"}' },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 't', input: { a: 'x' } },
    { type: 'tool-output-available', toolCallId: 'c', output: [1] },
    { type: 'text-start', id: 'text-0-2' },
    { type: 'text-delta', id: 'text-0-2', delta: '\nDone.' },
    { type: 'text-end', id: 'text-0-2' },
  ])
})

test.each(readable)('fence reads %s', (_, source, lines) => {
  expect(summary(parse(fence, source))).toEqual(lines)
})

test.each(quoted)('fence takes %s as text', (_, source) => {
  expect(summary(parse(fence, source))).toEqual([`text ${JSON.stringify(source)}`])
})

test.each(wrong)('fence reports %s', (_, source, code, message) => {
  const chunks = parse(fence, `${source}`)
  const error = chunks.at(-1)
  expect(error).toMatchObject({ type: 'tool-input-error', input: source })
  expect(argotMetadata(error ?? {})?.code).toBe(code)
  expect((error as { errorText: string }).errorText).toContain(message)
  expect((error as { errorText: string }).errorText).toMatch(
    /Write the call like this:\n```tool |The reply was cut off here/,
  )
})

test('reports the end of the text as an error of the result once the input has gone out', () => {
  const chunks = parse(fence, '```tool t c\ninput: {a: 1}\noutput: 5\n')
  expect(summary(chunks)).toEqual(['t {"a":1}', 'failed SYNTAX_UNCLOSED_CALL'])
})

test('starts a call at the end of its first line, and gives the input when its result begins', () => {
  const parser = fence.parser()
  const types = (chunks: Chunk[]) => chunks.map(chunk => chunk.type)
  expect(types(parser.push('```tool t c'))).toEqual([])
  expect(types(parser.push('\n'))).toEqual(['tool-input-start'])
  expect(types(parser.push('input:\n  a: 1\n'))).toEqual([])
  expect(types(parser.push('o'))).toEqual(['tool-input-delta'])
  expect(types(parser.push('utput: 5\n'))).toEqual(['tool-input-delta', 'tool-input-available'])
  expect(types(parser.push('```'))).toEqual([])
  expect(types(parser.push('\n'))).toEqual(['tool-output-available', 'text-start', 'text-delta'])
})

test('holds back no prose, and of a fence only what may be a header', () => {
  const parser = fence.parser()
  for (const character of 'Prose, `code` and\nmore.\n') expect(textOf(parser.push(character))).toBe(character)
  expect(textOf([...parser.push('```to'), ...parser.push('m\n')])).toBe('```tom\n')
})

test('writes a fence that is longer than those in its values', () => {
  const input = { a: '````\n```tool x y\n```\n````' }
  const source = fence.format({ toolCallId: 'c', toolName: 't', input })
  expect(source).toMatch(/^`````tool t c\ninput:\n/)
  expect(parse(fence, source).at(-1)).toMatchObject({ type: 'tool-input-available', input })
})

test('describes tools with an example that is a call', () => {
  const usage = fence.describe(tools).split('Usage:\n').slice(1)
  expect(usage.map(source => summary(parse(fence, source, { tools }))[0]?.split(' ')[0])).toEqual(
    tools.map(tool => tool.name),
  )
})

test('quotes a result in a fence that is not a call', () => {
  const result = { toolCallId: 'c', toolName: 't', state: 'output-error', errorText: '```tool a b\n```' } as const
  expect(fence.formatResult(result)).toBe('````tool-result t c error\n```tool a b\n```\n````')
})

test('is registered', () => {
  expect(syntaxes.get('fence')).toBe(fence)
})
