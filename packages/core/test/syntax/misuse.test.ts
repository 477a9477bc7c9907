import { ArgotError } from '@argot/core'
import {
  createAuto,
  describeTools,
  dialectFor,
  exampleCall,
  jsonDialect,
  keywordDialect,
  parse,
  quoteResult,
  syntaxes,
  syntaxStream,
  taggedDialect,
  writeParameters,
  xml,
} from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { createRegistry } from '../../src/syntax/registry.ts'
import { fillPrompt } from '../../src/syntax/teach/prompt.ts'

/** What a program without types may give in place of anything. */
const circular: Record<string, unknown> = { toolName: 'a', toolCallId: 'b' }
circular.input = { circular }
const call = (input: unknown) => ({ toolName: 'a', toolCallId: 'b', input })
const given: readonly unknown[] = [
  ...[undefined, null, 0, Number.NaN, '', 'x', true, [], {}, Symbol('s'), () => 1, 10n, [undefined], [null], circular],
  ...[{ toolName: 1 }, { toolName: 'a', toolCallId: 1 }, { toolName: 'a' }, call(10n), call({ a: 10n }), call(null)],
  ...[call({ a: undefined }), call({ a: () => 1 }), call({ a: Number.NaN }), call('x'), { name: 5, inputSchema: {} }],
  ...[
    { name: 'x', inputSchema: null },
    { name: 'x', inputSchema: { type: 'object', properties: null } },
  ],
  ...[{ name: 'x', inputSchema: { type: 'object', properties: { a: null } } }, { name: 'x' }, { name: 'syntax' }],
  ...[{ name: 'x', inputSchema: { type: 'object', required: 'a', properties: [] } }],
]
const text =
  '<tool_call>{"name":"x","arguments":{"a":1}}</tool_call>\n^^^x\na: 1\n^^^\n<tool:x><param:a>1</param:a></tool:x>\n'

/** What is thrown besides errors of Argot, each of which has a code. */
function thrownBy(use: (value: never) => unknown): string[] {
  return given.flatMap(value => {
    try {
      use(value as never)
      return []
    } catch (error) {
      return error instanceof ArgotError ? [] : [`${typeof value}: ${String(error)}`]
    }
  })
}

describe.each(syntaxes.names())('%s', name => {
  const syntax = syntaxes.get(name)
  const options = [
    'tools',
    'nextId',
    'request',
    'limit',
    'readOnly',
    'reasoning',
    'startsIn',
    'repair',
    'integers',
    'trace',
  ]
  const read = (use: object) => {
    const parser = syntax.parser(use)
    return [parser.push(text), parser.end()]
  }

  test('throws errors with codes only, whatever it is given', () => {
    expect(thrownBy(value => syntax.format(value))).toEqual([])
    expect(thrownBy(value => syntax.format(call({ a: 1 }), value))).toEqual([])
    expect(thrownBy(value => syntax.formatResult(value))).toEqual([])
    expect(thrownBy(value => syntax.describe(value))).toEqual([])
    expect(thrownBy(value => syntax.describe([value]))).toEqual([])
    expect(thrownBy(value => syntax.parser(value))).toEqual([])
    expect(thrownBy(value => syntax.parser().push(value))).toEqual([])
    expect(thrownBy(value => read({ tools: [value] }))).toEqual([])
    for (const option of options) expect(thrownBy(value => read({ [option]: value }))).toEqual([])
  })
})

test.each<[string, (value: never) => unknown]>([
  ['parse, as a syntax', value => parse(value, 'x')],
  ['parse, as a text', value => parse('xml', value)],
  ['syntaxStream', value => syntaxStream(value)],
  ['fillPrompt, as a prompt', value => fillPrompt(value, xml, [])],
  ['fillPrompt, as a syntax', value => fillPrompt('{{tools}}', value, [])],
  ['fillPrompt, as tools', value => fillPrompt('{{tools}}', xml, value)],
  ['get', value => syntaxes.get(value)],
  ['register', value => createRegistry().register(value)],
  ['register, as an alias', value => createRegistry().register(xml, value)],
  ['dialectFor', value => dialectFor(value)],
  ['createAuto', value => createAuto(value)],
  ['exampleCall', value => exampleCall(value)],
  ['describeTools, as a lesson', value => describeTools(value, [], () => '')],
  ['describeTools, as tools', value => describeTools('', value, () => '')],
  ['jsonDialect', value => jsonDialect(value)],
  ['taggedDialect', value => taggedDialect(value)],
  ['keywordDialect', value => keywordDialect(value)],
  ['quoteResult', value => quoteResult(value, () => ['', ''])],
  ['writeParameters', value => writeParameters(value, undefined, 'marked')],
])('%s throws errors with codes only, whatever it is given', (_, use) => {
  expect(thrownBy(use)).toEqual([])
})

test.each([
  [{ limit: 'two' }, '`limit` must be one of one, one-writer, none'],
  [{ repair: 'some' }, '`repair` must be one of none, safe, all'],
  [{ reasoning: null }, '`reasoning` must be one of text, parts'],
  [{ trace: 1 }, '`trace` must be a function'],
  [{ step: '1' }, '`step` must be a number'],
])('a parser that is made with %j says what is wrong', (options, words) => {
  expect(() => xml.parser(options as never)).toThrow(words)
})

test('a schema that is none allows anything', () => {
  const tools = [{ name: 'x', inputSchema: { type: 'object', properties: { a: null } } }] as never
  const calls = parse('hermes', '<tool_call>{"name":"x","arguments":{"a":[1]}}</tool_call>', { tools })
  expect(calls.at(-1)).toMatchObject({ type: 'tool-input-available', input: { a: [1] } })
})
