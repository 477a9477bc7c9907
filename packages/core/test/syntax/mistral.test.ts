import { argotMetadata } from '@argot/core/stream'
import { mistral, parse } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

const readings: [string, string, string[]][] = [
  ['a name and arguments', '[TOOL_CALLS]t[ARGS]{"a": 1}', ['t {"a":1}']],
  ['blanks between the parts', '[TOOL_CALLS] t [ARGS] {"a": 1}', ['t {"a":1}']],
  ['empty arguments', '[TOOL_CALLS]t[ARGS]{}', ['t {}']],
  ['two calls', '[TOOL_CALLS]t[ARGS]{"a": 1}[TOOL_CALLS]u[ARGS]{}', ['t {"a":1}', 'u {}']],
  ['a list', '[TOOL_CALLS] [{"name": "t", "arguments": {"a": 1}}]', ['t {"a":1}']],
  [
    'a list of two',
    '[TOOL_CALLS][{"name": "t", "arguments": {}}, {"name": "u", "arguments": {"a": [1]}}] done',
    ['t {}', 'u {"a":[1]}', 'text " done"'],
  ],
  ['a single object', '[TOOL_CALLS]{"name": "t", "arguments": {"a": 1}}', ['t {"a":1}']],
  ['the name behind the arguments', '[TOOL_CALLS][{"arguments": {"a": 1}, "name": "t"}]', ['t {"a":1}']],
  ['the token in a value', '[TOOL_CALLS]t[ARGS]{"a": "[TOOL_CALLS]u[ARGS]{}"}', ['t {"a":"[TOOL_CALLS]u[ARGS]{}"}']],
  [
    'text before, between and behind calls',
    'One [TOOL_CALLS]t[ARGS]{} two [TOOL_CALLS]t[ARGS]{} three',
    ['text "One "', 't {}', 'text " two "', 't {}', 'text " three"'],
  ],
  ['hyphens and dots in a name', '[TOOL_CALLS]my-tool.v2[ARGS]{}', ['my-tool.v2 {}']],
  [
    'a mention in prose',
    'The token [TOOL_CALLS] begins a call, [ARGS] its arguments.',
    ['text "The token [TOOL_CALLS] begins a call, [ARGS] its arguments."'],
  ],
  ['a mention with a name', 'Like [TOOL_CALLS]name[ARGS] and JSON', ['text "Like [TOOL_CALLS]name[ARGS] and JSON"']],
  [
    'a name without `[ARGS]`',
    '[TOOL_CALLS]t{"a": 1}[TOOL_CALLS]u {"b": 2} done',
    ['t {"a":1}', 'u {"b":2}', 'text " done"'],
  ],
  ['an empty list', '[TOOL_CALLS][]', ['text "[TOOL_CALLS][]"']],
  ['links and lists of Markdown', 'See [a](b), [TOOL] and [1, 2].', ['text "See [a](b), [TOOL] and [1, 2]."']],
  ['a call in a fence', '```\n[TOOL_CALLS]t[ARGS]{}\n```\n', ['text "```\\n[TOOL_CALLS]t[ARGS]{}\\n```\\n"']],
  ['a call in a code span', 'a `[TOOL_CALLS]t[ARGS]{}` b', ['text "a `[TOOL_CALLS]t[ARGS]{}` b"']],
]

test.each(readings)('mistral reads %s', (_, source, lines) => {
  expect(summary(parse(mistral, source))).toEqual(lines)
})

const errors: [string, string, string[]][] = [
  [
    'a call that the text ends in',
    '[TOOL_CALLS]t[ARGS]{"a": "x',
    ['t SYNTAX_UNCLOSED_VALUE "[TOOL_CALLS]t[ARGS]{\\"a\\": \\"x"'],
  ],
  ['a call that ends before its arguments', '[TOOL_CALLS]t[ARGS]', ['t SYNTAX_UNCLOSED_VALUE "[TOOL_CALLS]t[ARGS]"']],
  [
    'the second of two, cut off',
    '[TOOL_CALLS][{"name": "t"}, {"na',
    ['t {}', 'unknown SYNTAX_UNCLOSED_VALUE ", {\\"na"'],
  ],
  [
    'JSON that cannot be repaired',
    '[TOOL_CALLS]t[ARGS]{"a" 1}',
    ['t SYNTAX_BAD_JSON "[TOOL_CALLS]t[ARGS]{\\"a\\" 1}"'],
  ],
  [
    'an item without a name',
    '[TOOL_CALLS][{"arguments": {}}, {"name": "t"}]',
    ['unknown SYNTAX_MISSING_NAME "[TOOL_CALLS][{\\"arguments\\": {}}"', 't {}'],
  ],
  [
    'the last item without a name, its bracket included',
    '[TOOL_CALLS][{"arguments": {}}] x',
    ['unknown SYNTAX_MISSING_NAME "[TOOL_CALLS][{\\"arguments\\": {}}]"', 'text " x"'],
  ],
]

test.each(errors)('mistral reports %s', (_, source, lines) => {
  expect(summary(parse(mistral, source))).toEqual(lines)
})

test('a list that is cut off behind a call leaves that call whole', () => {
  expect(summary(parse(mistral, '[TOOL_CALLS][{"name": "t", "arguments": {"a": 1}}'))).toEqual(['t {"a":1}'])
  expect(summary(parse(mistral, '[TOOL_CALLS][{"name": "t", "arguments": {"a": 1}'))).toEqual([
    't SYNTAX_UNCLOSED_VALUE "[TOOL_CALLS][{\\"name\\": \\"t\\", \\"arguments\\": {\\"a\\": 1}"',
  ])
})

test('repairs what hermes repairs', () => {
  const [call] = parse(mistral, "[TOOL_CALLS][{'name': 't', 'arguments': {'a': True,}}]").slice(-1)
  expect(call).toMatchObject({
    input: { a: true },
    providerMetadata: { argot: { repaired: ['single-quotes', 'python-literals', 'trailing-comma'] } },
  })
})

test('keeps ids: in the marker as the id of the call, behind the arguments as a remark', () => {
  const ids = (source: string) =>
    parse(mistral, source)
      .filter(chunk => chunk.type === 'tool-input-available')
      .map(chunk => [chunk.toolCallId, argotMetadata(chunk)?.modelId])
  expect(ids('[TOOL_CALLS]t[CALL_ID]VvvODy9mT[ARGS]{}')).toEqual([['VvvODy9mT', undefined]])
  expect(ids('[TOOL_CALLS][{"name": "t", "arguments": {}, "id": "VvvODy9mT"}]')).toEqual([['tool-0-1', 'VvvODy9mT']])
  expect(ids('[TOOL_CALLS][{"id": "VvvODy9mT", "name": "t", "arguments": {}}]')).toEqual([['VvvODy9mT', undefined]])
})

test('starts with the bracket of the arguments, and is there with their last', () => {
  const source = '[TOOL_CALLS]t[ARGS]{"a": 1}'
  const parser = mistral.parser()
  const seen = source.split('').flatMap((character, at) => parser.push(character).map(({ type }) => ({ type, at })))
  expect(seen[0]).toEqual({ type: 'tool-input-start', at: source.indexOf('{') })
  expect(seen.at(-1)).toEqual({ type: 'tool-input-available', at: source.length - 1 })
})

test('keeps the limit within a list', () => {
  const list = '[TOOL_CALLS][{"name": "t"}, {"name": "u"}]'
  const parser = mistral.parser({ limit: 'one' })
  expect(summary([...parser.push(list), ...parser.end()])).toEqual(['t {}', 'remainder ", {\\"name\\": \\"u\\"}]"'])
  expect(parser.stopped).toBe(true)
  const alone = mistral.parser({ limit: 'one' })
  expect(summary([...alone.push('[TOOL_CALLS][{"name": "t"}]\n'), ...alone.end()])).toEqual(['t {}', 'text "\\n"'])
  expect(alone.stopped).toBe(false)
})

test('holds values against the schema', () => {
  expect(parse(mistral, '[TOOL_CALLS]any[ARGS]{"integer": 1.5}', { tools }).at(-1)).toMatchObject({
    errorText: expect.stringContaining('Parameter `integer` of `any` must be an integer, but was 1.5.'),
  })
})

test('writes calls and results as the family does', () => {
  expect(mistral.format({ toolCallId: 'c', toolName: 't', input: { a: '[ARGS]' } })).toBe(
    '[TOOL_CALLS]t[ARGS]{"a":"[ARGS]"}',
  )
  const text = mistral.formatResult({
    toolCallId: 'c',
    toolName: 't',
    state: 'output-available',
    output: '[TOOL_CALLS]x[ARGS]{}',
  })
  expect(text).toBe(
    '[TOOL_RESULTS]{"name":"t","call_id":"c","status":"success","content":"\\u005bTOOL_CALLS]x[ARGS]{}"}[/TOOL_RESULTS]',
  )
  expect(summary(parse(mistral, text))).toEqual([`text ${JSON.stringify(text)}`])
  const usage = mistral.describe(tools).split('Usage:\n').slice(1).join('\n')
  expect(parse(mistral, usage, { tools }).filter(({ type }) => type === 'tool-input-available')).toHaveLength(
    tools.length,
  )
})

describe('the laws', () => {
  const shards = [
    ...['[TOOL_CALLS]', '[TOOL_CALLS]x[ARGS]', '[TOOL_CALLS]x[ARGS]{', '[ARGS]', '[CALL_ID]', '[TOOL_', ', ', ']', '['],
    ...['[TOOL_CALLS][{"name": "x", "arguments": {}}', '{"name": "x", "arguments": {}}', '{', '}', '"', "'", '\\'],
    ...['[TOOL_CALLS]x[CALL_ID]abc[ARGS]{}', 'None', '\n', ' ', 'text', '`'],
  ]
  const texts = [...readings, ...errors].map(([, source]) => source)
  testConformance(mistral, { test, shards, texts })
})
