import type { JsonSchema, ToolDefinition } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { parse } from '@argot/core/syntax'
import { expect, test } from 'vitest'

function read(text: string, schema: JsonSchema, repair?: 'none') {
  const tools: ToolDefinition[] = [{ name: 'f', inputSchema: { type: 'object', properties: { a: schema } } }]
  const source = `<tool_call><function=f><parameter=a>${text}</parameter></function></tool_call>`
  const call = parse('qwen3-coder', source, { tools, repair }).find(({ type }) => type === 'tool-input-available')
  return call?.type === 'tool-input-available'
    ? { ...(call.input as object), repaired: argotMetadata(call)?.repaired }
    : undefined
}

test.each([
  ['yes', true],
  ['On', true],
  ['1', true],
  ['no', false],
  ['OFF', false],
  ['0', false],
])('%s means %s where only true and false are allowed', (text, a) => {
  expect(read(text, { type: 'boolean' })).toEqual({ a, repaired: ['boolean-words'] })
  expect(read(text, { type: ['boolean', 'null'] })).toMatchObject({ a })
  expect(read(text, { type: 'boolean' }, 'none')).toBeUndefined()
})

test('other types keep their values, and other words are errors', () => {
  expect(read('1', { type: ['boolean', 'integer'] })).toEqual({ a: 1, repaired: undefined })
  expect(read('yes', { type: ['boolean', 'string'] })).toEqual({ a: 'yes', repaired: undefined })
  expect(read('maybe', { type: 'boolean' })).toBeUndefined()
  expect(read('2', { type: 'boolean' })).toBeUndefined()
})
