import type { ToolDefinition } from '@argot/core'
import { auto, dialectFor, parse, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { type DialectCase, testDialect } from './dialect-cases.ts'
import { summary } from './summary.ts'

/** Dialects that are read only if they are asked for: their calls look like prose, or like code that is shown. */

const tools: ToolDefinition[] = [
  { name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' }, n: { type: 'integer' } } } },
]

const cases: DialectCase[] = [
  {
    name: 'react',
    one: ['Thought: So.\nAction: f\nAction Input: {"a": "x", "n": 1}\nObservation:'],
    two: 'Action: f\nAction Input: {"a": "x"}\nAction: f\nAction Input: {"a": "y"}',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'gemma3',
    one: ['```tool_code\nf(a="x", n=1)\n```', "So.\n```tool_code\n[f(a='x', n=1)]\n```\n"],
    two: '```tool_code\nf(a="x")\nf(a="y")\n```',
    conformance: {
      decidedBy: ')',
      livesIn: { 'list item': 'its own fence never closes there', footnote: 'the same' },
    },
  },
  {
    name: 'code-tag',
    one: ['<code>f(a="x", n=1)</code>', 'So <code>\nf(a="x", n=1)\n</code> it is.'],
    two: '<code>f(a="x")</code> <code>f(a="y")</code>',
    conformance: { decidedBy: ')', livesIn: { html: 'its calls are in HTML' } },
  },
  {
    name: 'name-json',
    one: ['f {"a": "x", "n": 1}', 'So.\nf{"a": "x", "n": 1}\n'],
    two: 'f {"a": "x"}\nf {"a": "y"}',
    conformance: { decidedBy: '}', skip: { early: 'without known tools, the first word of a line may be a name' } },
  },
]

describe.each(cases)('the dialect $name', ({ name, one, two = '' }) => {
  const calls = (text: string) => summary(parse(name, text, { tools })).filter(line => !line.startsWith('text'))

  test.each(one)('reads %s, and `auto` does not', source => {
    expect(calls(source)).toEqual(['f {"a":"x","n":1}'])
    for (const known of [tools, []]) {
      const chunks = parse(auto, source, { tools: known })
      expect(chunks.some(({ type }) => type.startsWith('tool-'))).toBe(false)
    }
  })

  test('reads two calls', () => {
    expect(calls(two)).toEqual(['f {"a":"x"}', 'f {"a":"y"}'])
  })

  test('teaches its own form', () => {
    const usage = syntaxes.get(name).describe(tools).split('Usage:\n')[1] ?? ''
    expect(parse(name, usage, { tools }).filter(({ type }) => type === 'tool-input-available')).toHaveLength(1)
  })
})

for (const dialect of cases) testDialect(dialect)

test.each([
  ['react', 'The Action: f\nAction Input: {}'],
  ['gemma3', '```python\nf(a="x")\n```'],
  ['gemma3', 'f(a="x")'],
  ['code-tag', '<code>g(a="x")</code> and <code>f</code>'],
  ['code-tag', '`<code>f(a="x")</code>`'],
  ['code-tag', '<pre><code>f(a="x")</code></pre>'],
  ['name-json', 'use f {"a": "x"}'],
  ['name-json', 'f is {"a": "x"}'],
  ['name-json', 'g {"a": "x"}'],
  ['name-json', '- f {"a": "x"}'],
  ['name-json', 'I call f\nf'],
])('in %s, %s is text', (name, text) => {
  expect(summary(parse(name, text, { tools }))).toEqual([`text ${JSON.stringify(text)}`])
})

test('only Gemma 3 is known to write one of them', () => {
  expect(dialectFor('google/gemma-3-27b-it')?.name).toBe('gemma3')
  expect(dialectFor('gemma-4-26b-a4b-it')?.name).toBe('gemma4')
})
