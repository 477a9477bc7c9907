import type { JsonSchema } from '@argot/core'
import { exampleCall, parse, type Syntax, syntaxes } from '@argot/core/syntax'
import { coerceArguments } from '@argot/core/syntax/internal'
import { describe, expect, test } from 'vitest'

const text = { type: 'string' }
const count = { type: 'integer' }
const tuples: readonly [string, JsonSchema][] = [
  ['prefixItems', { type: 'array', prefixItems: [text, count], items: false }],
  ['items, as before 2020', { type: 'array', items: [text, count], additionalItems: false } as unknown as JsonSchema],
  ['prefixItems in anyOf', { anyOf: [{ type: 'array', prefixItems: [text, count] }, { type: 'null' }] }],
]
const lists: readonly [string, string][] = [
  ['xml', '<tool:look>\n<param:v>5</param:v>\n<param:v>6</param:v>\n</tool:look>'],
  ['caret', '^^^look\nv: [\n5\n6\n]\n^^^'],
  ['qwen3-coder', '<function=look>\n<parameter=v>\n5\n</parameter>\n<parameter=v>\n6\n</parameter>\n</function>'],
]

function read(syntax: Syntax, source: string, v: JsonSchema): Record<string, unknown> {
  const tool = { name: 'look', inputSchema: { type: 'object', properties: { v } } }
  return { ...parse(syntax, source, { tools: [tool] }).find(({ type }) => /^tool-input-(?:av|er)/.test(type)) }
}

describe.each(tuples)('each place of a tuple has its own type: %s', (_, v) => {
  test.each(lists)('%s', (name, source) => {
    expect(read(syntaxes.get(name), source, v)).toMatchObject({ input: { v: ['5', 6] } })
  })

  test('native', () => {
    const tool = { name: 'look', inputSchema: { type: 'object', properties: { v } } }
    expect(coerceArguments(tool, '{"v":["5","6"]}')).toMatchObject({ input: { v: ['5', 6] } })
  })

  test('an example', () => {
    const tool = { name: 'look', inputSchema: { type: 'object', properties: { v: { allOf: [v] } } } }
    expect(exampleCall(tool).input).toEqual({ v: ['some v', 1] })
  })
})

test('a wrong item of a tuple is named by its place', () => {
  const source = '<tool:look>\n<param:v>5</param:v>\n<param:v>six</param:v>\n</tool:look>'
  expect(read(syntaxes.get('xml'), source, tuples[0]![1])).toMatchObject({
    errorText: expect.stringContaining('must be an integer, but was "six" in item 2 of its list'),
  })
})

test('an item after the last of a closed tuple does not fit', () => {
  const source = '<tool:look>\n<param:v>5</param:v>\n<param:v>6</param:v>\n<param:v>7</param:v>\n</tool:look>'
  for (const [, v] of tuples.slice(0, 2)) {
    expect(read(syntaxes.get('xml'), source, v)).toMatchObject({
      errorText: expect.stringContaining('must be an array'),
    })
  }
})

test('an example has the members of every part of an allOf', () => {
  const $defs = {
    point: { type: 'object', properties: { x: count }, required: ['x'] },
    unit: { type: 'string', enum: ['cm', 'km'] },
  }
  const point = { $ref: '#/$defs/point' }
  const named = { type: 'object', properties: { id: text }, required: ['id'] }
  const properties = {
    a: { description: 'Where.', allOf: [point] },
    b: { allOf: [point, named] },
    c: { allOf: [{ $ref: '#/$defs/unit' }], default: 5 },
  }
  expect(exampleCall({ name: 'look', inputSchema: { type: 'object', properties, $defs } }).input).toEqual({
    a: { x: 1 },
    b: { x: 1, id: 'some id' },
    c: 'cm',
  })
})

test.each([
  { properties: null },
  { required: true },
  { description: 5 },
  { prefixItems: 5 },
] as unknown as JsonSchema[])('a keyword of the wrong type allows anything: %j', keyword => {
  const v = { type: 'object', ...keyword }
  const tool = { name: 'look', inputSchema: { type: 'object', properties: { v } } }
  const xml = syntaxes.get('xml')
  expect(read(xml, '<tool:look>\n<param:v>{"a":1}</param:v>\n</tool:look>', v)).toMatchObject({
    input: { v: { a: 1 } },
  })
  expect(coerceArguments(tool, '{"v":{"a":1}}')).toMatchObject({ input: { v: { a: 1 } } })
  expect(xml.describe?.([tool])).toContain('- v (an object)')
})
