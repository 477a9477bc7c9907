import type { ToolDefinition } from '@argot/core'
import { parse } from '@argot/core/syntax'
import { expect, test } from 'vitest'
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

test.each(['[link text](url)', '[a](b)', '[f(1)]', '[f(x)]', 'a[0] = f(b)', '[1, 2]'])('%s is prose', source => {
  expect(summary(parse('pythonic', source))).toEqual([`text ${JSON.stringify(source)}`])
})
