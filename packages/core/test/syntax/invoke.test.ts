import { invoke, parse } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

const calls = (...inside: string[]) => `<function_calls>\n${inside.join('\n')}\n</function_calls>`
const t = (inside: string, name = 't') => `<invoke name="${name}">\n${inside}</invoke>`
const p = (value: string, name = 'a') => `<parameter name="${name}">${value}</parameter>\n`

const readings: [string, string, string[]][] = [
  ['the example of the page', calls(t(p('src/lib.rs', 'path'))), ['t {"path":"src/lib.rs"}']],
  ['a value of several lines', calls(t(p('\nfn main() {\n}\n'))), ['t {"a":"fn main() {\\n}"}']],
  ['no parameters', calls(t('')), ['t {}']],
  ['two calls in one wrapper', calls(t(p('1')), t(p('2'), 'u')), ['t {"a":"1"}', 'u {"a":"2"}']],
  ['two wrappers', `${calls(t(''))}\n${calls(t('', 'u'))}`, ['t {}', 'text "\\n"', 'u {}']],
  ['a call without its wrapper', `${t(p('1'))} and`, ['t {"a":"1"}', 'text " and"']],
  [
    'single quotes and other attributes',
    `<invoke  name='t' id="1"><parameter name='a' type="string">1</parameter></invoke>`,
    ['t {"a":"1"}'],
  ],
  [
    'a whole call in a value',
    calls(t(p('<function_calls><invoke name="u"></invoke></function_calls>'))),
    ['t {"a":"<function_calls><invoke name=\\"u\\"></invoke></function_calls>"}'],
  ],
  [
    'the closing tag of a value in a value, marked',
    calls(t('<parameter name="a#1">x</parameter></parameter#1>\n')),
    ['t {"a":"x</parameter>"}'],
  ],
  ['unpaired `<` and entities as they are', calls(t(p('a < b &lt; <c>'))), ['t {"a":"a < b &lt; <c>"}']],
  ['a wrapper that is cut off behind its call', `<function_calls>\n${t(p('1'))}`, ['t {"a":"1"}']],
  [
    'text in a wrapper behind a call',
    `<function_calls>${t('')} so </function_calls>`,
    ['t {}', 'text " so </function_calls>"'],
  ],
  [
    'a call behind text in a wrapper',
    `<function_calls>${t('')} so ${t('', 'u')}</function_calls>!`,
    ['t {}', 'text " so "', 'u {}', 'text "!"'],
  ],
  [
    'text before, between and behind',
    `One ${calls(t(''))} two ${calls(t(''))} three`,
    ['text "One "', 't {}', 'text " two "', 't {}', 'text " three"'],
  ],
  [
    'a mention in prose',
    'The tags <function_calls> and <invoke name="t"> begin a call.',
    ['text "The tags <function_calls> and <invoke name=\\"t\\"> begin a call."'],
  ],
  [
    'a name that is none',
    '<invoke name="a b"><parameter name="c">1</parameter></invoke>',
    ['text "<invoke name=\\"a b\\"><parameter name=\\"c\\">1</parameter></invoke>"'],
  ],
  ['a call in a fence', `~~~\n${calls(t(''))}\n~~~\n`, [`text ${JSON.stringify(`~~~\n${calls(t(''))}\n~~~\n`)}`]],
  ['a call in a quote', '> <invoke name="t"></invoke>\n', ['text "> <invoke name=\\"t\\"></invoke>\\n"']],
  [
    'a call in reasoning',
    '<thinking><invoke name="t"></invoke></thinking>',
    ['text "<thinking><invoke name=\\"t\\"></invoke></thinking>"'],
  ],
]

test.each(readings)('invoke reads %s', (_, source, lines) => {
  expect(summary(parse(invoke, source))).toEqual(lines)
})

const errors: [string, string, string][] = [
  ['a value that never ends', '<function_calls><invoke name="t"><parameter name="a">x', 'SYNTAX_UNCLOSED_VALUE'],
  ['a call that never ends', `<function_calls><invoke name="t">${p('1')}`, 'SYNTAX_UNCLOSED_CALL'],
  [
    'a parameter within a parameter',
    calls('<invoke name="t"><parameter name="a">x<parameter name="b"></invoke>'),
    'SYNTAX_NESTED_PARAMETER',
  ],
  ['text between parameters', calls(t(`${p('1')}and`)), 'SYNTAX_STRAY_TEXT'],
  ['a call within a call', calls(t(`${p('1')}<invoke name="u">`)), 'SYNTAX_NESTED_CALL'],
  [
    'the closing tags of the call in a value that goes on',
    calls(t(p('</invoke></function_calls>'))),
    'SYNTAX_NESTED_PARAMETER',
  ],
]

test.each(errors)('invoke reports %s', (_, source, code) => {
  expect(summary(parse(invoke, source))).toEqual([`t ${code} ${JSON.stringify(source)}`])
})

test('an error in one call leaves the others of its wrapper', () => {
  const bad = t(p('x', 'integer'), 'any')
  const source = calls(t(''), bad, t('', 'u'))
  expect(summary(parse(invoke, source, { tools }))).toEqual([
    't {}',
    `any SYNTAX_BAD_VALUE ${JSON.stringify(`\n${bad}`)}`,
    'u {}',
  ])
})

test('types values as the schema says', () => {
  const source = calls(t(p('5', 'integer') + p('["a", "b"]', 'queries') + p('null', 'maybe'), 'any'))
  expect(parse(invoke, source, { tools }).at(-1)).toMatchObject({
    input: { integer: 5, queries: ['a', 'b'], maybe: null },
  })
})

test('keeps the limit within a wrapper', () => {
  const source = calls(t('', 'read_files').replace('\n', `\n${p('["a"]', 'paths')}`), t('', 'write_file'))
  const parser = invoke.parser({ limit: 'one-writer', tools })
  const chunks = [...parser.push(source), ...parser.end()]
  expect(summary(chunks)).toEqual([
    'read_files {"paths":["a"]}',
    `remainder ${JSON.stringify(`\n${t('', 'write_file')}\n</function_calls>`)}`,
  ])
  expect(parser.stopped).toBe(true)
})

test('writes calls and results as the family does', () => {
  expect(invoke.format({ toolCallId: '', toolName: 't', input: { a: 'x', b: 'y\nz', c: '</parameter>' } })).toBe(
    '<function_calls>\n<invoke name="t">\n<parameter name="a">x</parameter>\n<parameter name="b">\ny\nz\n</parameter>\n<parameter name="c#1"></parameter></parameter#1>\n</invoke>\n</function_calls>',
  )
  expect(invoke.formatResult({ toolCallId: 'c', toolName: 't', state: 'output-error', errorText: 'no' })).toBe(
    '<function_results>\n<result name="t" id="c" status="error">\n```\nno\n```\n</result>\n</function_results>',
  )
  const usage = invoke.describe(tools).split('Usage:\n').slice(1).join('\n')
  expect(parse(invoke, usage, { tools }).filter(({ type }) => type === 'tool-input-available')).toHaveLength(
    tools.length,
  )
})

describe('the laws', () => {
  const shards = [
    ...[
      '<function_calls>',
      '</function_calls>',
      '<invoke name="x">',
      '</invoke>',
      '<invoke name="',
      '<invoke',
      '</',
      '<',
    ],
    ...['<parameter name="path">', '</parameter>', '<parameter name="path">a</parameter>', "<parameter name='path#1'>"],
    ...['</parameter#1>', '<function_calls>\n<invoke name="x">\n', '>', '"', '\n', ' ', 'text', '`'],
    '<invoke name="x"></invoke>',
  ]
  const texts = [...readings, ...errors].map(([, source]) => source)
  testConformance(invoke, { test, shards, texts, decidedBy: '</invoke>' })
})
