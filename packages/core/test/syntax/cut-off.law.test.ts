import type { ToolDefinition } from '@argot/core'
import { auto, parse, syntaxes } from '@argot/core/syntax'
import { describe, test } from 'vitest'
import { same } from '../stream/laws.ts'

/** A reply with two calls that ends anywhere has the calls that are whole, and no other. */

const tools: ToolDefinition[] = [
  { name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' }, n: { type: 'integer' } } } },
]
const first = { toolCallId: 'functions.f:0', toolName: 'f', input: { a: 'one two', n: 12 } }
const second = { toolCallId: 'functions.f:1', toolName: 'f', input: { a: 'three', n: 345 } }
const names = syntaxes.names().filter(name => !['native', 'auto', 'callout'].includes(name))

describe.each(names)('%s', name => {
  const syntax = syntaxes.get(name)
  const source = `${syntax.format(first, tools[0])}\n${syntax.format(second, tools[0])}\n`

  test.each([['itself', syntax] as const, ['auto', auto] as const])('read by %s', (_, reader) => {
    const whole = [first, second].map(({ input }) => JSON.stringify(input))
    for (let end = 0; end < source.length; end++) {
      const calls = parse(reader, source.slice(0, end), { tools }).flatMap(chunk =>
        chunk.type === 'tool-input-available' ? [JSON.stringify(chunk.input)] : [],
      )
      same(whole.slice(0, calls.length), calls)
    }
  })
})

test('a list that is cut off has the items that are whole', () => {
  const list = '[{"name": "f", "arguments": {"a": "x"}}, {"name": "f", "arguments": {"a": "y"}}]'
  for (const [name, before] of [
    ['hermes', '<tool_call>'],
    ['mistral', '[TOOL_CALLS]'],
    ['jamba', '<tool_calls>'],
    ['xlam', ''],
  ]) {
    for (let end = 0; end < list.length; end++) {
      const calls = parse(name ?? '', `${before}${list.slice(0, end)}`, { tools }).flatMap(chunk =>
        chunk.type === 'tool-input-available' ? [JSON.stringify(chunk.input)] : [],
      )
      same(['{"a":"x"}', '{"a":"y"}'].slice(0, calls.length), calls)
    }
  }
})
