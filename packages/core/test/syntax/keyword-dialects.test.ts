import type { ToolDefinition } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { parse, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { type DialectCase, testDialect, testForms } from './dialect-cases.ts'
import { summary } from './summary.ts'

/** Dialects whose calls are written like those of a program. */

const tools: ToolDefinition[] = [
  { name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' }, n: { type: 'integer' } } } },
]

const cases: DialectCase[] = [
  {
    name: 'pythonic',
    one: ['[f(a="x", n=1)]', "So: [f(a='x', n=1)]", '<|python_start|>[f(a="x", n=1)]<|python_end|>'],
    two: '[f(a="x"), f(a="y")]',
    conformance: { decidedBy: ')' },
  },
  {
    name: 'olmo3',
    one: ['<function_calls>f(a="x", n=1)</function_calls>'],
    two: '<function_calls>f(a="x")\nf(a="y")</function_calls>',
    conformance: { decidedBy: ')' },
  },
  {
    name: 'lfm2',
    one: [
      '<|tool_call_start|>[f(a="x", n=1)]<|tool_call_end|>',
      '<|tool_call_start|>{"name": "f", "arguments": {"a": "x", "n": 1}}<|tool_call_end|>',
    ],
    two: '<|tool_call_start|>[f(a="x"), f(a="y")]<|tool_call_end|>',
    conformance: { decidedBy: ')' },
  },
  {
    name: 'gemma4',
    one: ['<|tool_call>call:f{a:<|"|>x<|"|>,n:1}<tool_call|>'],
    two: '<|tool_call>call:f{a:<|"|>x<|"|>}<tool_call|><|tool_call>call:f{a:<|"|>y<|"|>}<tool_call|>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'functiongemma',
    one: ['<start_function_call>call:f{a:<escape>x<escape>,n:1}<end_function_call>'],
    conformance: { decidedBy: '}' },
  },
]

testForms(cases, tools)
for (const dialect of cases) testDialect(dialect)

test.each<[string, string]>([
  ["[f(a='x', l=[1, {'k': None}], b=True)]", 'f {"a":"x","l":[1,{"k":null}],"b":true}'],
  ['[f(m=07)]', 'f {"m":7}'],
  ['[f(a="x",)]', 'f {"a":"x"}'],
  ['[f()]', 'f {}'],
])('reads the literals of Python in %s', (source, line) => {
  expect(summary(parse('pythonic', source))).toEqual([line])
})

test.each<[string, string, string?]>([
  [String.raw`f(a='C:\\new\x41\101\u00e9\U0001F600\d\/\'')`, String.raw`C:\newAAé😀\d\/'`],
  [String.raw`f(a=r'\d+\'')`, String.raw`\d+\'`],
  [`f(a='''it's\n"quoted"''')`, 'it\'s\n"quoted"'],
  ['f(a="""two "" quotes""")', 'two "" quotes'],
  ["f(a='')", ''],
  ["f(a='sed -n '1,9p' a.txt')", "sed -n '1,9p' a.txt", 'unescaped-quotes'],
  ['f(a="grep "foo" log")', 'grep "foo" log', 'unescaped-quotes'],
  ["f(a='don't')", "don't", 'unescaped-quotes'],
])('reads the string of Python in %s', (source, a, repaired) => {
  for (const text of [`[${source}]`, `<|tool_call_start|>[${source}]<|tool_call_end|>`]) {
    const chunks = parse(text.startsWith('<') ? 'lfm2' : 'pythonic', text, { tools })
    const call = chunks.find(({ type }) => type === 'tool-input-available')
    expect(call).toMatchObject({ input: { a } })
    expect(argotMetadata(call ?? {})?.repaired).toEqual(repaired === undefined ? undefined : [repaired])
  }
})

test.each([
  'f(a="x" y, n=1)',
  'f(a="x, n="1")',
  'f(a="x"", n=1)',
  "f(a='say 'hi', n=1)",
  "f(a='x' 'y')",
  "f(a=f'{x}')",
])('does not guess where the string ends in %s', source => {
  expect(summary(parse('pythonic', `[${source}]`, { tools })).join()).toContain('f SYNTAX_BAD_JSON')
})

describe('gemma4 also reads', () => {
  const gemma = (body: string) => `<|tool_call>${body}<tool_call|>`
  const read = (text: string) => {
    const [first, whole] = [text.split(''), [text]].map(pieces => {
      const parser = syntaxes.get('gemma4').parser({ tools })
      return summary([...pieces.flatMap(piece => parser.push(piece)), ...parser.end()])
    })
    expect(first).toEqual(whole)
    return whole
  }

  test.each([
    ['words without quotes', gemma('call:f{a:San Francisco,n:1}'), 'f {"a":"San Francisco","n":1}'],
    ['single quotes', gemma("call:f{a: 'x, y: {z}', n: 1}"), 'f {"a":"x, y: {z}","n":1}'],
    ['an apostrophe in them', gemma("call:f{a:'don't'}"), 'f {"a":"don\'t"}'],
    ['a delimiter after them', gemma("call:f{a:'x'<|\"|>,n:1}"), 'f {"a":"x","n":1}'],
    ['a call without tokens', 'call:f{a:<|"|>x<|"|>}', 'f {"a":"x"}'],
    ['a path before the name', gemma('call:google:mcp:f{n:1}'), 'f {"n":1}'],
    ['the same without tokens', 'call:google:mcp:f{n:1}', 'f {"n":1}'],
    ['a call without its word', gemma(':f{n:1}'), 'f {"n":1}'],
    ['parentheses', gemma('call:f(a=<|"|>x<|"|>, n=1)'), 'f {"a":"x","n":1}'],
    ['an equals sign', gemma('call:f{a=<|"|>x<|"|>}'), 'f {"a":"x"}'],
    ['keys that are strings', gemma('call:f{"a": "x", <|"|>n<|"|>: 1}'), 'f {"a":"x","n":1}'],
    ['literals', gemma('call:f{a:<|"|>x<|"|>,l:[True,null,y z]}'), 'f {"a":"x","l":[true,null,"y z"]}'],
  ])('%s', (_, text, line) => {
    expect(read(text)).toEqual([line])
  })

  test.each([
    ['a comma in a value without quotes', gemma('call:f{a:San Francisco, CA}')],
    ['a colon in one', gemma('call:f{a:x: y}')],
    ['half of the delimiters', gemma('call:f{a:x<|"|>}')],
    ['a line break in one', gemma('call:f{a:x\ny}')],
  ])('no call with %s', (_, text) => {
    expect(read(text)?.join()).toMatch(/^f SYNTAX_/)
  })

  test.each(['call:g{n:1}', 'So call:f{n:1}', '`call:f{n:1}`', '> call:f{n:1}'])('%s as text', text => {
    expect(read(text)).toEqual([`text ${JSON.stringify(text)}`])
  })
})

test.each(['[link text](url)', '[a](b)', '[f(1)]', '[f(x)]', 'a[0] = f(b)', '[1, 2]'])('%s is prose', source => {
  expect(summary(parse('pythonic', source))).toEqual([`text ${JSON.stringify(source)}`])
})
