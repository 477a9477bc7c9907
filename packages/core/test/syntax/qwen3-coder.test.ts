import { parse } from '@argot/core/syntax'
import { qwen3Coder } from '@argot/core/syntax/internal'
import { describe, expect, test } from 'vitest'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

const t = (inside: string) => `<tool_call>\n<function=t>\n${inside}</function>\n</tool_call>`
const p = (value: string, name = 'a') => `<parameter=${name}>\n${value}\n</parameter>\n`

test('gives a call as one start, deltas of JSON, and the input', () => {
  expect(parse(qwen3Coder, `I look.\n${t(p('x "y"\nz'))}`)).toEqual([
    { type: 'text-start', id: 'text-0-1' },
    { type: 'text-delta', id: 'text-0-1', delta: 'I look.\n' },
    { type: 'text-end', id: 'text-0-1' },
    { type: 'tool-input-start', toolCallId: 'tool-0-1', toolName: 't' },
    { type: 'tool-input-delta', toolCallId: 'tool-0-1', inputTextDelta: '{"a":"x \\"y\\"\\nz"}' },
    { type: 'tool-input-available', toolCallId: 'tool-0-1', toolName: 't', input: { a: 'x "y"\nz' } },
  ])
})

const readings: [string, string, string[]][] = [
  ['the example of the page', t(p('src/lib.rs', 'path')), ['t {"path":"src/lib.rs"}']],
  ['a call on one line', '<tool_call><function=t><parameter=a>1</parameter></function></tool_call>', ['t {"a":"1"}']],
  ['no parameters', t(''), ['t {}']],
  ['empty values', t(p('') + p('', 'b')), ['t {"a":"","b":""}']],
  ['leading and trailing blank lines of a value', t(p('\n x \n')), ['t {"a":"\\n x \\n"}']],
  [
    'unpaired `<` and other tags',
    t(p('a < b <p>x</p> </parameters> </fun')),
    ['t {"a":"a < b <p>x</p> </parameters> </fun"}'],
  ],
  [
    'another call in a value',
    t(p(t('').replaceAll('parameter', ''))),
    ['t {"a":"<tool_call>\\n<function=t>\\n</function>\\n</tool_call>"}'],
  ],
  [
    'the closing tag in a value, marked',
    t('<parameter=a#1>\nx</parameter>y\n</parameter#1>\n'),
    ['t {"a":"x</parameter>y"}'],
  ],
  ['a repeated parameter', t(p('1') + p('2')), ['t {"a":["1","2"]}']],
  ['`__proto__` as parameter', t(p('1', '__proto__')), ['t {"__proto__":"1"}']],
  [
    'hyphens and dots in names',
    '<tool_call>\n<function=my-tool.v2>\n<parameter=a-b.c>\n1\n</parameter>\n</function>\n</tool_call>',
    ['my-tool.v2 {"a-b.c":"1"}'],
  ],
  ['two calls', `${t(p('1'))}\n${t(p('2'))}`, ['t {"a":"1"}', 'text "\\n"', 't {"a":"2"}']],
  [
    'two calls in one wrapper',
    '<tool_call>\n<function=t>\n</function>\n<function=u>\n</function>\n</tool_call>!',
    ['t {}', 'u {}', 'text "!"'],
  ],
  ['a call without its wrapper', `<function=t>\n${p('1')}</function> and`, ['t {"a":"1"}', 'text " and"']],
  [
    'a call without the beginning of its wrapper',
    `<function=t>\n${p('1')}</function>\n</tool_call> and`,
    ['t {"a":"1"}', 'text " and"'],
  ],
  [
    'text between and behind calls',
    `One\n${t('')}\ntwo\n${t('')}\nthree`,
    ['text "One\\n"', 't {}', 'text "\\ntwo\\n"', 't {}', 'text "\\nthree"'],
  ],
  [
    'a mention in prose',
    'Write <tool_call>, then <function=name> and so on.',
    ['text "Write <tool_call>, then <function=name> and so on."'],
  ],
  [
    'a mention of both tags',
    'Write <tool_call><function=name> and so on.',
    ['text "Write <tool_call><function=name> and so on."'],
  ],
  [
    'the calls of another dialect',
    '<tool_call>{"name": "t"}</tool_call>',
    ['text "<tool_call>{\\"name\\": \\"t\\"}</tool_call>"'],
  ],
  ['an empty wrapper', '<tool_call></tool_call>', ['text "<tool_call></tool_call>"']],
  ['a call in a fence', `\`\`\`\n${t('')}\n\`\`\`\n`, [`text ${JSON.stringify(`\`\`\`\n${t('')}\n\`\`\`\n`)}`]],
  ['a call in a code span', 'a `<function=t></function>` b', ['text "a `<function=t></function>` b"']],
  ['a doubled closing tag', t(`${p('1')}</parameter>\n`), ['t {"a":"1"}']],
  ['a call whose tag closes itself', '<tool_call><function=t/></tool_call>', ['t {}']],
  ['the same with a blank', '<tool_call>\n<function=t />\n</tool_call>', ['t {}']],
  ['a tag that closes itself outside of a wrapper', 'So <function=t/>', ['text "So "', 't {}']],
  ['a mention of one', 'write <function=.../>', ['text "write <function=.../>"']],
  ['a parameter whose tag closes itself', t('<parameter=a/>'), ['t {"a":""}']],
  [
    'a name in a tag of its own',
    '<tool_call><function><name>t</name><parameter=a>1</parameter></function></tool_call>',
    ['t {"a":"1"}'],
  ],
  ['a name in the wrapper', '<tool_call name="t"><parameter=a>1</parameter></tool_call>', ['t {"a":"1"}']],
  ['a call behind a lone backtick', `a \` b\n${t('')}`, ['text "a ` b\\n"', 't {}']],
]

test.each(readings)('qwen3-coder reads %s', (_, source, lines) => {
  expect(summary(parse(qwen3Coder, source))).toEqual(lines)
})

const errors: [string, string, string][] = [
  ['a value that never ends', '<tool_call><function=t><parameter=a>x', 'SYNTAX_UNCLOSED_VALUE'],
  ['a call that never ends', `<tool_call><function=t>${p('1')}`, 'SYNTAX_UNCLOSED_CALL'],
  ['a call cut off behind its name', '<tool_call>\n<function=t>\n', 'SYNTAX_UNCLOSED_CALL'],
  [
    'a parameter within a parameter',
    '<tool_call><function=t><parameter=a>x<parameter=b></function></tool_call>',
    'SYNTAX_NESTED_PARAMETER',
  ],
  ['text between parameters', t(`${p('1')}and `), 'SYNTAX_STRAY_TEXT'],
  ['a call within a call', t(`${p('1')}<function=u>`), 'SYNTAX_NESTED_CALL'],
  ['two closing tags too many', t(`${p('1')}</parameter></parameter>`), 'SYNTAX_WRONG_CLOSING'],
  ['a closing tag before any parameter is open', t(`${p('1')}x</parameter>`), 'SYNTAX_STRAY_TEXT'],
  ['a closing tag of the call in a value that goes on', t(p('x </function> y')), 'SYNTAX_NESTED_PARAMETER'],
  ['a name with two marks', t('<parameter=a#1#2>x</parameter#1#2>'), 'SYNTAX_STRAY_TEXT'],
]

test.each(errors)('qwen3-coder reports %s', (_, source, code) => {
  expect(summary(parse(qwen3Coder, source))).toEqual([`t ${code} ${JSON.stringify(source)}`])
})

test('an error has the wrapper that closes around its call', () => {
  const source = `<tool_call>\n<function=any>\n${p('x', 'integer')}</function>\n</tool_call>`
  expect(summary(parse(qwen3Coder, `${source} end`, { tools }))).toEqual([
    `any SYNTAX_BAD_VALUE ${JSON.stringify(source)}`,
    'text " end"',
  ])
})

test('a broken call hides what its values hold', () => {
  const source = t(`${p('1')}oops ${p(t(''))}`)
  expect(summary(parse(qwen3Coder, source))).toEqual([`t SYNTAX_STRAY_TEXT ${JSON.stringify(source)}`])
})

test('types values as the schema says', () => {
  const call = (inside: string) =>
    parse(qwen3Coder, `<tool_call><function=any>${inside}</function></tool_call>`, { tools }).at(-1)
  expect(
    call(p('5', 'integer') + p('[1, 2]', 'numbers') + p('{"x": 1}', 'object') + p('true', 'boolean')),
  ).toMatchObject({
    input: { integer: 5, numbers: [1, 2], object: { x: 1 }, boolean: true },
  })
  expect(call(p('five', 'integer'))).toMatchObject({
    errorText: expect.stringContaining('Parameter `integer` of `any` must be an integer, but was "five".'),
  })
})

test('keeps the limit within a wrapper', () => {
  const source = '<tool_call><function=t></function> <function=u></function></tool_call>'
  expect(summary(parse(qwen3Coder, source, { limit: 'one' }))).toEqual([
    't {}',
    'text " "',
    'remainder "<function=u></function></tool_call>"',
  ])
})

test('starts before its first value, and is there with the last character of its own tag', () => {
  const source = t(p('value'))
  const parser = qwen3Coder.parser()
  const seen = source.split('').flatMap((character, at) => parser.push(character).map(({ type }) => ({ type, at })))
  expect(seen[0]).toEqual({
    type: 'tool-input-start',
    at: source.indexOf('<parameter=a>') + '<parameter=a>'.length - 1,
  })
  expect(seen.at(-1)).toEqual({
    type: 'tool-input-available',
    at: source.indexOf('</function>') + '</function>'.length - 1,
  })
})

test('writes calls, lists and results as the family does', () => {
  const [tool] = tools
  expect(
    qwen3Coder.format(
      { toolCallId: '', toolName: 'read_files', input: { paths: ['a', 'b'], project: 'x</parameter>' } },
      tool,
    ),
  ).toBe(
    '<tool_call>\n<function=read_files>\n<parameter=paths>\n["a","b"]\n</parameter>\n<parameter=project#1>\nx</parameter>\n</parameter#1>\n</function>\n</tool_call>',
  )
  expect(qwen3Coder.formatResult({ toolCallId: 'c', toolName: 't', state: 'output-available', output: t('') })).toBe(
    `<tool_response name="t" id="c" status="success">\n\`\`\`\n${t('')}\n\`\`\`\n</tool_response>`,
  )
  const usage = qwen3Coder.describe(tools).split('Usage:\n').slice(1).join('\n')
  expect(parse(qwen3Coder, usage, { tools }).filter(({ type }) => type === 'tool-input-available')).toHaveLength(
    tools.length,
  )
})

describe('the laws', () => {
  const shards = [
    ...[
      '<tool_call>',
      '</tool_call>',
      '<function=x>',
      '</function>',
      '<function=',
      '<tool_',
      '</',
      '<',
      '>',
      '\n',
      ' ',
    ],
    ...['<parameter=path>', '</parameter>', '<parameter=path>a</parameter>', '<parameter=path#1>', '</parameter#1>'],
    ...['<tool_call>\n<function=x>\n', '<tool_call><function=x></function></tool_call>', 'text', '`'],
  ]
  const texts = [...readings, ...errors].map(([, source]) => source)
  testConformance(qwen3Coder, { test, shards, texts, decidedBy: '</function>' })
})
