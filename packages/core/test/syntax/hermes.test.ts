import type { Chunk } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { hermes, parse } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

/** A call of `t` with these arguments, as they are written. */
const t = (json: string) => `<tool_call>\n{"name": "t", "arguments": ${json}}\n</tool_call>`

function remarks(chunks: readonly Chunk[]): (object | undefined)[] {
  return chunks.filter(chunk => chunk.type === 'tool-input-available').map(argotMetadata)
}

test('gives a call as one start, its JSON as deltas, and the input', () => {
  expect(parse(hermes, `I look.\n${t('{"a": "x \\"y\\"\\nz"}')}`)).toEqual([
    { type: 'text-start', id: 'text-0-1' },
    { type: 'text-delta', id: 'text-0-1', delta: 'I look.\n' },
    { type: 'text-end', id: 'text-0-1' },
    { type: 'tool-input-start', toolCallId: 'tool-0-1', toolName: 't' },
    { type: 'tool-input-delta', toolCallId: 'tool-0-1', inputTextDelta: '{"a": "x \\"y\\"\\nz"}' },
    { type: 'tool-input-available', toolCallId: 'tool-0-1', toolName: 't', input: { a: 'x "y"\nz' } },
  ])
})

const readings: [string, string, string[]][] = [
  ['the example of the page', t('{"path": "src/lib.rs"}'), ['t {"path":"src/lib.rs"}']],
  ['a call on one line', '<tool_call>{"name":"t","arguments":{"a":1}}</tool_call>', ['t {"a":1}']],
  ['a call within a line', `I read ${t('{}')} now`, ['text "I read "', 't {}', 'text " now"']],
  ['an indented call', `  ${t('{"a": 1}')}`, ['text "  "', 't {"a":1}']],
  ['empty arguments', t('{}'), ['t {}']],
  ['missing arguments', '<tool_call>{"name": "t"}</tool_call>', ['t {}']],
  ['`parameters` for `arguments`', '<tool_call>{"name": "t", "parameters": {"a": 1}}</tool_call>', ['t {"a":1}']],
  ['a name behind the arguments', '<tool_call>{"arguments": {"a": 1}, "name": "t"}</tool_call>', ['t {"a":1}']],
  ['a `type` that says nothing', '<tool_call>{"type": "function", "name": "t"}</tool_call>', ['t {}']],
  ['the closing tag in a value', t('{"a": "x </tool_call> y"}'), ['t {"a":"x </tool_call> y"}']],
  [
    'a whole call in a value',
    t('{"a": "<tool_call>{\\"name\\": \\"rm\\"}</tool_call>"}'),
    ['t {"a":"<tool_call>{\\"name\\": \\"rm\\"}</tool_call>"}'],
  ],
  [
    'values of every type',
    t('{"s": "", "n": -1.5e3, "b": false, "z": null, "l": [1, [2]], "o": {"p": {}}}'),
    ['t {"s":"","n":-1500,"b":false,"z":null,"l":[1,[2]],"o":{"p":{}}}'],
  ],
  ['escapes', t('{"a": "\\u00e9\\ud83d\\ude42\\/\\\\\\t"}'), ['t {"a":"é🙂/\\\\\\t"}']],
  ['brackets in strings', t('{"a": "}]{[", "b": "\\"}"}'), ['t {"a":"}]{[","b":"\\"}"}']],
  [
    'CRLF around the JSON',
    '<tool_call>\r\n{"name": "t", "arguments": {"a": 1}}\r\n</tool_call>\r\n',
    ['t {"a":1}', 'text "\\r\\n"'],
  ],
  [
    'hyphens and dots in names',
    '<tool_call>{"name": "my-tool.v2", "arguments": {"a-b.c": 1}}</tool_call>',
    ['my-tool.v2 {"a-b.c":1}'],
  ],
  [
    '`__proto__` as key and as name',
    '<tool_call>{"name": "__proto__", "arguments": {"__proto__": {"x": 1}, "constructor": 2}}</tool_call>',
    ['__proto__ {"__proto__":{"x":1},"constructor":2}'],
  ],
  ['two calls', `${t('{"a": 1}')}\n${t('{"a": 2}')}`, ['t {"a":1}', 'text "\\n"', 't {"a":2}']],
  ['two calls without a gap', t('{"a": 1}') + t('{"a": 2}'), ['t {"a":1}', 't {"a":2}']],
  [
    'text between and behind calls',
    `One\n${t('{}')}\ntwo\n${t('{}')}\nthree`,
    ['text "One\\n"', 't {}', 'text "\\ntwo\\n"', 't {}', 'text "\\nthree"'],
  ],
  [
    'two objects between one pair of tags',
    '<tool_call>\n{"name": "a", "arguments": {}}\n{"name": "b", "arguments": {}}\n</tool_call>',
    ['a {}', 'b {}'],
  ],
  [
    'a list between the tags',
    '<tool_call>[{"name": "a"}, {"name": "b", "arguments": {"x": 1}}]</tool_call>!',
    ['a {}', 'b {"x":1}', 'text "!"'],
  ],
  [
    'a mention in prose',
    'Write <tool_call> and then JSON, up to </tool_call>. So.',
    ['text "Write <tool_call> and then JSON, up to </tool_call>. So."'],
  ],
  [
    'a mention with braces',
    'Like <tool_call>{json}</tool_call> or <tool_call> { … }',
    ['text "Like <tool_call>{json}</tool_call> or <tool_call> { … }"'],
  ],
  [
    'a mention before a call',
    `The tag <tool_call> begins it:\n${t('{}')}`,
    ['text "The tag <tool_call> begins it:\\n"', 't {}'],
  ],
  ['a mention at the end', 'It begins with <tool_call>', ['text "It begins with <tool_call>"']],
  [
    'a call in a fence',
    `\`\`\`xml\n${t('{}')}\n\`\`\`\n`,
    [`text ${JSON.stringify(`\`\`\`xml\n${t('{}')}\n\`\`\`\n`)}`],
  ],
  [
    'a call in a code span',
    'Write `<tool_call>{"name": "t"}</tool_call>` here',
    ['text "Write `<tool_call>{\\"name\\": \\"t\\"}</tool_call>` here"'],
  ],
  [
    'a call in a quote',
    '> <tool_call>{"name": "t"}</tool_call>\n',
    ['text "> <tool_call>{\\"name\\": \\"t\\"}</tool_call>\\n"'],
  ],
  [
    'a call in a list item',
    '- <tool_call>{"name": "t"}</tool_call>\n',
    ['text "- <tool_call>{\\"name\\": \\"t\\"}</tool_call>\\n"'],
  ],
  [
    'a call in reasoning',
    '<think>maybe <tool_call>{"name": "t"}</tool_call></think>',
    ['text "<think>maybe <tool_call>{\\"name\\": \\"t\\"}</tool_call></think>"'],
  ],
  [
    'a call behind a lone backtick',
    'a ` b <tool_call>{"name": "t"}</tool_call> c',
    ['text "a ` b "', 't {}', 'text " c"'],
  ],
  [
    'the calls of another dialect',
    '<tool_call>\n<function=f>\n</function>\n</tool_call>',
    ['text "<tool_call>\\n<function=f>\\n</function>\\n</tool_call>"'],
  ],
]

test.each(readings)('hermes reads %s', (_, source, lines) => {
  const chunks = parse(hermes, source)
  expect(summary(chunks)).toEqual(lines)
  expect(remarks(chunks).filter(Boolean)).toEqual([])
})

const errors: [string, string, string][] = [
  ['no name', '<tool_call>{"arguments": {"a": 1}}</tool_call>', 'unknown SYNTAX_MISSING_NAME'],
  ['an empty object', '<tool_call>{}</tool_call>', 'unknown SYNTAX_MISSING_NAME'],
  ['a name that is not a string', '<tool_call>{"name": 5, "arguments": {}}</tool_call>', 'unknown SYNTAX_MISSING_NAME'],
  ['an empty name', '<tool_call>{"name": "", "arguments": {}}</tool_call>', 'unknown SYNTAX_MISSING_NAME'],
  ['two names', '<tool_call>{"name": "t", "name": "u"}</tool_call>', 't SYNTAX_BAD_JSON'],
  [
    'arguments given twice',
    '<tool_call>{"name": "t", "arguments": {}, "parameters": {}}</tool_call>',
    't SYNTAX_BAD_JSON',
  ],
  ['a parameter given twice', t('{"a": 1, "a": 2}'), 't SYNTAX_DUPLICATE_PARAMETER'],
  ['a parameter beside the arguments', '<tool_call>{"name": "t", "path": "a"}</tool_call>', 't SYNTAX_STRAY_TEXT'],
  ['arguments that are a list', t('[1]'), 't SYNTAX_BAD_JSON'],
  ['arguments that are a number', t('5'), 't SYNTAX_BAD_JSON'],
  ['a string that has no object', t('"abc"'), 't SYNTAX_BAD_JSON'],
  ['a string that has half an object', t('"{\\"a\\": "'), 't SYNTAX_BAD_JSON'],
  ['a missing comma', t('{"a": 1 "b": 2}'), 't SYNTAX_BAD_JSON'],
  ['two commas', t('{"a": [1,,2]}'), 't SYNTAX_BAD_JSON'],
  ['a missing colon', t('{"a" 1}'), 't SYNTAX_BAD_JSON'],
  ['the wrong bracket', t('{"a": [1}}'), 't SYNTAX_BAD_JSON'],
  ['a quote within a string', t('{"a": "say "hi" now"}'), 't SYNTAX_BAD_JSON'],
  ['a number that JSON has not', t('{"a": NaN}'), 't SYNTAX_BAD_JSON'],
  ['a number that is too large', t('{"a": 1e999}'), 't SYNTAX_BAD_JSON'],
  ['a number with a leading zero', t('{"a": 007}'), 't SYNTAX_BAD_JSON'],
  [
    'text between the JSON and the closing tag',
    '<tool_call>{"name": "t", "arguments": {}} there </tool_call>',
    't SYNTAX_STRAY_TEXT',
  ],
  ['JSON that nests too deeply', t(`{"a": ${'['.repeat(512)}${']'.repeat(512)}}`), 't SYNTAX_TOO_DEEP'],
  [
    'more than a thousand parameters',
    t(`{${Array.from({ length: 1001 }, (_, i) => `"p${i}": 1`).join(',')}}`),
    't SYNTAX_TOO_MANY_PARAMETERS',
  ],
  [
    'a name that is too long',
    `<tool_call>{"name": "${'n'.repeat(129)}"}</tool_call>`,
    `${'n'.repeat(128)} SYNTAX_NAME_TOO_LONG`,
  ],
  ['a parameter whose name is too long', t(`{"${'n'.repeat(129)}": 1}`), 't SYNTAX_NAME_TOO_LONG'],
]

test.each(errors)('hermes reports %s', (_, source, error) => {
  expect(summary(parse(hermes, `${source} rest`))).toEqual([`${error} ${JSON.stringify(source)}`, 'text " rest"'])
})

test('takes a thousand parameters, and an input that nests 512 deep', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`p${i}`, i]))
  const deep = `${'['.repeat(511)}${']'.repeat(511)}`
  expect(parse(hermes, t(JSON.stringify(many))).at(-1)).toMatchObject({ input: many })
  expect(parse(hermes, t(`{"a": ${deep}}`)).at(-1)).toMatchObject({ input: { a: JSON.parse(deep) } })
})

test('takes eight million characters, and not one more', () => {
  const size = 8 * 1024 * 1024 - '{"a": ""}'.length
  expect(parse(hermes, t(`{"a": "${'x'.repeat(size)}"}`)).at(-1)?.type).toBe('tool-input-available')
  const [error] = parse(hermes, `${t(`{"a": "${'x'.repeat(size + 1)}"}`)}`).filter(({ type }) => type.endsWith('error'))
  expect(error).toMatchObject({ toolName: 't', providerMetadata: { argot: { code: 'SYNTAX_CALL_TOO_LONG' } } })
})

describe('a call that the text ends in', () => {
  const whole = '<tool_call>\n{"id": "c1", "name": "t", "arguments": {"a": [1, true], "b": "x\\n"}}\n</tool_call>'
  const decided = whole.lastIndexOf('}')
  test.each(Array.from({ length: decided }, (_, at) => whole.slice(0, at + 1)))('is not a call: %j', text => {
    const chunks = parse(hermes, text)
    const types = chunks.map(({ type }) => type)
    expect(types).not.toContain('tool-input-available')
    if (text.includes('{')) expect(chunks.at(-1)).toMatchObject({ type: 'tool-input-error', input: text })
    else expect(summary(chunks)).toEqual([`text ${JSON.stringify(text)}`])
  })

  test('is a call where its JSON is whole, for servers strip what ends it', () => {
    for (let end = decided + 1; end < whole.length - '</tool_call>'.length; end++) {
      const chunks = parse(hermes, whole.slice(0, end))
      expect(summary(chunks)).toEqual(['t {"a":[1,true],"b":"x\\n"}'])
      expect(remarks(chunks)).toEqual([{ repaired: ['call-not-closed'] }])
    }
  })

  test('has sent on what came of it, and no more', () => {
    const chunks = parse(hermes, '<tool_call>{"name": "t", "arguments": {"a": "x')
    expect(chunks[1]).toMatchObject({ type: 'tool-input-delta', inputTextDelta: '{"a": "x' })
    expect(chunks[2]).toMatchObject({ type: 'tool-input-error' })
  })

  test('is called unknown where its name was not read', () => {
    expect(summary(parse(hermes, '<tool_call>{"arguments": {"a": 1}, "nam'))).toEqual([
      'unknown SYNTAX_UNCLOSED_VALUE "<tool_call>{\\"arguments\\": {\\"a\\": 1}, \\"nam"',
    ])
  })
})

test('starts with the last character of the name, and is there with the last of the closing tag', () => {
  const source = `${t('{"a": "value"}')}\n`
  const parser = hermes.parser()
  const seen = source.split('').flatMap((character, at) => parser.push(character).map(({ type }) => ({ type, at })))
  expect(seen[0]).toEqual({ type: 'tool-input-start', at: source.indexOf('"t"') + 2 })
  expect(seen.filter(({ type }) => type === 'tool-input-delta')).toHaveLength('{"a": "value"}'.length)
  expect(seen.at(-3)).toEqual({ type: 'tool-input-available', at: source.length - 2 })
})

test('holds the arguments back while the name is not known', () => {
  const parser = hermes.parser()
  expect(parser.push('<tool_call>{"arguments": {"a": "x"}')).toEqual([])
  expect(parser.push(', "name": "t"').map(({ type }) => type)).toEqual(['tool-input-start', 'tool-input-delta'])
})

test.each<[string, string, string[], (object | undefined)[]]>([
  ['before the name', '<tool_call>{"id": "call_7", "name": "t", "arguments": {}}</tool_call>', ['call_7'], [undefined]],
  ['as a number', '<tool_call>{"id": 7, "name": "t", "arguments": {}}</tool_call>', ['7'], [undefined]],
  [
    'behind the name, where it comes too late',
    '<tool_call>{"name": "t", "arguments": {}, "id": "call_7"}</tool_call>',
    ['tool-0-1'],
    [{ modelId: 'call_7' }],
  ],
  [
    'twice, where the second cannot be taken',
    '<tool_call>{"id": "c", "name": "t"}</tool_call><tool_call>{"id": "c", "name": "t"}</tool_call>',
    ['c', 'tool-0-2'],
    [undefined, { modelId: 'c' }],
  ],
  [
    'that is the next of our own',
    '<tool_call>{"id": "tool-0-2", "name": "t"}</tool_call><tool_call>{"name": "t"}</tool_call>',
    ['tool-0-2', 'tool-0-3'],
    [undefined, undefined],
  ],
])('keeps an id that stands %s', (_, source, ids, metadata) => {
  const calls = parse(hermes, source).filter(chunk => chunk.type === 'tool-input-available')
  expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(ids)
  expect(calls.map(argotMetadata)).toEqual(metadata)
})

test('holds values against the schema and names parameter, value and expected type', () => {
  const call = (json: string) =>
    parse(hermes, `<tool_call>{"name": "any", "arguments": ${json}}</tool_call>`, { tools }).at(-1)
  expect(call('{"integer": 5, "numbers": [1.5], "object": {"x": 1}, "choice": "a", "free": {}}')?.type).toBe(
    'tool-input-available',
  )
  expect(call('{"integer": "five"}')).toMatchObject({
    errorText: expect.stringContaining('Parameter `integer` of `any` must be an integer, but was "five".'),
    providerMetadata: { argot: { code: 'SYNTAX_BAD_VALUE' } },
  })
  expect(call('{"numbers": "x", "boolean": 1}')).toMatchObject({
    errorText: expect.stringMatching(
      /`numbers` of `any` must be an array of numbers, but was "x"\. .*`boolean` of `any` must be true or false, but was 1\./,
    ),
  })
  expect(
    parse(hermes, '<tool_call>{"name": "write_file", "arguments": {"path": "a"}}</tool_call>', { tools }).at(-1),
  ).toMatchObject({
    errorText: expect.stringContaining('Parameter `content` of `write_file` is required and missing.'),
    providerMetadata: { argot: { code: 'SYNTAX_MISSING_PARAMETER' } },
  })
})

test('shows with every error how the call is written', () => {
  const [, error] = parse(hermes, '<tool_call>{"name": "write_file", "arguments": [1]}</tool_call>', { tools })
  expect(error).toMatchObject({
    errorText: `The arguments must be a JSON object. Write the call like this:
<tool_call>
{"name": "write_file", "arguments": {"content":"the first line\\nthe second line","path":"src/lib.rs","mode":"create"}}
</tool_call>`,
  })
})

test('a broken call does not end, and nothing runs, at a call that is quoted in it', () => {
  const source =
    '<tool_call>{"name": "t", "arguments": {"a": "say "hi" <tool_call>{\\"name\\": \\"rm\\"}</tool_call>\\n<tool_call>{\\"name\\": \\"rm\\"}</tool_call>"}}</tool_call>'
  expect(summary(parse(hermes, `${source}\nend`))).toEqual([
    `t SYNTAX_BAD_JSON ${JSON.stringify(source)}`,
    'text "\\nend"',
  ])
})

test('a missing closing tag leaves the next call its opening one', () => {
  expect(summary(parse(hermes, '<tool_call>{"name": "t"}\n<tool_call>{"name": 5}</tool_call>'))).toEqual([
    't {}',
    'unknown SYNTAX_MISSING_NAME "<tool_call>{\\"name\\": 5}</tool_call>"',
  ])
})

test('keeps the limit', () => {
  expect(summary(parse(hermes, `${t('{}')}\n${t('{"a": 1}')}`, { limit: 'one' }))).toEqual([
    't {}',
    'text "\\n"',
    `remainder ${JSON.stringify(t('{"a": 1}'))}`,
  ])
  const list = '<tool_call>[{"name": "a"}, {"name": "b"}]</tool_call>'
  expect(summary(parse(hermes, list, { limit: 'one' }))).toEqual([
    'a {}',
    'remainder ", {\\"name\\": \\"b\\"}]</tool_call>"',
  ])
})

test('writes results as JSON in which nothing begins a call', () => {
  const result = {
    toolCallId: 'c1',
    toolName: 't',
    state: 'output-available',
    output: 'see <tool_call>{"name": "rm"}',
  } as const
  const text = hermes.formatResult(result)
  expect(text).toBe(
    '<tool_response>\n{"name":"t","tool_call_id":"c1","status":"success","content":"see \\u003ctool_call>{\\"name\\": \\"rm\\"}"}\n</tool_response>',
  )
  expect(summary(parse(hermes, text))).toEqual([`text ${JSON.stringify(text)}`])
  expect(hermes.formatResult({ ...result, state: 'output-error', errorText: 'no' })).toContain(
    '"status":"error","content":"no"',
  )
})

test('teaches the tools with an example of each, which can be read', () => {
  const lesson = hermes.describe(tools)
  expect(lesson.startsWith(hermes.describe([]))).toBe(true)
  const usage = lesson.split('Usage:\n').slice(1).join('\n')
  expect(parse(hermes, usage, { tools }).filter(({ type }) => type === 'tool-input-available')).toHaveLength(
    tools.length,
  )
})

test.each([
  ['a name that is none', { toolCallId: '', toolName: 'a b', input: {} }],
  ['an input that is not an object', { toolCallId: '', toolName: 'a', input: [1] }],
  ['a key that is not a name', { toolCallId: '', toolName: 'a', input: { 'a b': 1 } }],
  ['a number that JSON cannot hold', { toolCallId: '', toolName: 'a', input: { a: [Number.NaN] } }],
  [
    'a value that nests too deeply',
    { toolCallId: '', toolName: 'a', input: { a: JSON.parse(`${'['.repeat(512)}${']'.repeat(512)}`) } },
  ],
  ['a value that JSON cannot hold', { toolCallId: '', toolName: 'a', input: { a: 1n } }],
])('refuses to write %s', (_, call) => {
  expect(() => hermes.format(call)).toThrow(expect.objectContaining({ code: 'SYNTAX_CANNOT_WRITE' }))
})

describe('the laws', () => {
  const shards = [
    ...['<tool_call>', '</tool_call>', '<tool_call>{', '<tool_', '</', '<', '>', '\n', ' ', 'text', '`', '\\', '\\u00'],
    ...['{"name": "x", "arguments": {}}', '{"name": "x"', '"arguments": {"a": 1}', "{'name': 'x', ", '"name"', ': "'],
    ...['{', '}', '[', ']', '"', "'", ',', 'True', '"id": "a"', '<tool_call>\n{"name": "x", "arguments": {"a": "'],
    '<tool_call>{"arguments": {"path": 1}, "name": "x"}</tool_call>',
    '<tool_call>[{"name":"x"}]</tool_call>',
    '<tool_call>{"name": "x", "arguments": {"a": [1, 2, ], "b" : True , c: \'d"e\', }}</tool_call>',
    '<tool_call>{"name": "x", "arguments": {}}\n<tool_call>',
  ]
  const texts = [...readings, ...errors].map(([, source]) => source).filter(source => source.length < 400)
  testConformance(hermes, { test, shards, texts, decidedBy: '}' })
})
