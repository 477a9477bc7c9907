import type { JsonSchema } from '@argot/core'
import { describeTools } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import { checkInput } from '../../src/tool/schema/check-input.ts'

const schema: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    count: { type: 'integer', minimum: 1, maximum: 10 },
    mode: { enum: ['a', 'b'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    deep: { type: 'object', properties: { 'a/b ä': { type: 'boolean' } }, additionalProperties: false },
    either: { anyOf: [{ type: 'string' }, { type: 'object', required: ['x'], additionalProperties: false }] },
    ref: { $ref: '#/$defs/small' },
  },
  $defs: { small: { type: 'number', exclusiveMaximum: 5 } },
  required: ['path'],
  additionalProperties: false,
}

test('an input that fits is given back as it is', () => {
  const input = { path: 'a', count: 3, mode: 'b', tags: ['x'], deep: { 'a/b ä': true }, either: 'x', ref: 4 }
  const result = checkInput(schema, input)
  expect(result).toEqual({ ok: true, input })
  expect(result.ok && result.input).toBe(input)
})

test.each([
  ['a missing parameter', {}, '`path` is missing; it must be a string.'],
  ['a type', { path: 1 }, '`path` must be a string, not `1`.'],
  ['an integer', { path: 'a', count: '3' }, '`count` must be an integer, not `"3"`.'],
  ['a fraction', { path: 'a', count: 1.5 }, '`count` must be an integer, not `1.5`.'],
  ['a minimum', { path: 'a', count: 0 }, '`count` must be at least `1`, not `0`.'],
  ['a maximum', { path: 'a', count: 11 }, '`count` must be at most `10`, not `11`.'],
  ['a length', { path: '' }, '`path` must have at least `1` characters, not `""`.'],
  ['a choice', { path: 'a', mode: 'c' }, '`mode` must be one of "a", "b", not `"c"`.'],
  ['an item', { path: 'a', tags: ['x', null] }, '`tags[1]` must be a string, not `null`.'],
  ['a list', { path: 'a', tags: {} }, '`tags` must be an array of strings, not an object.'],
  ['too many items', { path: 'a', tags: ['', '', ''] }, '`tags` must have at most `2` items, not an array.'],
  ['a name in an object', { path: 'a', deep: { 'a/b ä': 1 } }, '`deep.a/b ä` must be true or false, not `1`.'],
  ['a name that is not known', { path: 'a', deep: { x: 1 } }, '`deep.x` is not a parameter; known are `a/b ä`.'],
  ['alternatives', { path: 'a', either: { y: 1 } }, '`either` must be a string or an object, not an object.'],
  ['a reference', { path: 'a', ref: 5 }, '`ref` must be less than `5`, not `5`.'],
  ['no object', 'a', 'The input must be an object, not `"a"`.'],
  ['a list as input', [], 'The input must be an object, not an array.'],
  ['null', null, 'The input must be an object, not `null`.'],
])('says what is wrong with %s', (_, input, problem) => {
  expect(checkInput(schema, input)).toEqual({ ok: false, problem })
})

const kinds: [what: string, wanted: JsonSchema, words: string, wrong: unknown][] = [
  ['a string', { type: 'string' }, 'a string', 1],
  ['an integer', { type: 'integer' }, 'an integer', 'x'],
  ['a number', { type: 'number' }, 'a number', 'x'],
  ['a boolean', { type: 'boolean' }, 'true or false', 1],
  ['null', { type: 'null' }, 'null', 1],
  ['an array', { type: 'array' }, 'an array', 1],
  ['an array of integers', { type: 'array', items: { type: 'integer' } }, 'an array of integers', 1],
  ['an object', { type: 'object' }, 'an object', 1],
  ['two types', { type: ['string', 'null'] }, 'a string or null', 1],
  ['an enum', { enum: ['a', 2] }, 'one of "a", 2', 'b'],
  ['a constant', { const: 'a' }, '"a"', 'b'],
  ['alternatives', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'a string or an integer', null],
  ['constants', { oneOf: [{ const: 'auto' }, { type: 'integer' }] }, '"auto" or an integer', null],
  ['a reference', { $ref: '#/$defs/mode' }, 'one of "x", "y"', 'b'],
]

test.each(kinds)('asks for %s in the words in which the tool is described', (_, wanted, words, wrong) => {
  const root: JsonSchema = { type: 'object', properties: { a: wanted }, $defs: { mode: { enum: ['x', 'y'] } } }
  expect(describeTools('', [{ name: 't', description: 'T.', inputSchema: root }], () => '')).toContain(`- a (${words})`)
  const result = checkInput(root, { a: wrong })
  expect(result).toEqual({ ok: false, problem: expect.stringContaining(`\`a\` must be ${words}, not `) })
})

test('tells several problems in one sentence, and not too many', () => {
  const result = checkInput(schema, { count: 0, mode: 1, x: 1, y: 2 })
  expect(result).toEqual({
    ok: false,
    problem:
      '`path` is missing; it must be a string; `count` must be at least `1`, not `0`; `mode` must be one of "a", "b", not `1`; and 2 more problems.',
  })
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is an ordinary name', name => {
  const input = JSON.parse(`{"path": "a", "${name}": {"path": 1}}`)
  expect(checkInput(schema, input)).toMatchObject({ ok: false, problem: expect.stringContaining(name) })
  expect(checkInput({ type: 'object', required: [name] }, {})).toMatchObject({ ok: false })
  expect(checkInput({ type: 'object', required: [name] }, JSON.parse(`{"${name}": 1}`)).ok).toBe(true)
  const own = JSON.parse(
    `{"type": "object", "properties": {"${name}": {"type": "string"}}, "additionalProperties": false}`,
  )
  expect(checkInput(own, JSON.parse(`{"${name}": "x"}`)).ok).toBe(true)
  expect(checkInput(own, JSON.parse(`{"${name}": 1}`))).toEqual({
    ok: false,
    problem: `\`${name}\` must be a string, not \`1\`.`,
  })
})

test('a schema that is frozen can be used, and none is changed', () => {
  const frozen = Object.freeze({ type: 'object', properties: Object.freeze({ a: Object.freeze({ type: 'string' }) }) })
  expect(checkInput(frozen, { a: 1 }).ok).toBe(false)
  const plain = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }
  checkInput(plain, { a: 1 })
  expect(Reflect.ownKeys(plain.properties.a)).toEqual(['$ref'])
})

/** A list in a list in a list. */
function nest(depth: number): unknown {
  let value: unknown = []
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

const circle: JsonSchema = { type: 'object' }
circle.not = circle

test.each<[string, JsonSchema, unknown]>([
  ['a reference that leads nowhere', { $ref: '#/$defs/x' }, {}],
  ['a reference to itself', { $ref: '#' }, {}],
  ['a schema that contains itself', circle, {}],
  ['a pattern that is none', { type: 'string', pattern: '(' }, 'x'],
  ['a schema that is none', { properties: 5, required: 'x' } as unknown as JsonSchema, {}],
  ['an input that is undefined', { type: 'object' }, undefined],
  ['an input that is not JSON', { type: 'object', properties: { a: { type: 'string' } } }, { a: () => 1 }],
  ['an input that is nested deeply', { type: 'array', items: { $ref: '#' } }, nest(100_000)],
  ['half a character in a name', { additionalProperties: false }, { '\ud800': 1 }],
  ['very many mistakes', { items: { type: 'string' } }, new Array(200_000).fill(1)],
])('does not throw for %s', (_, hostile, input) => {
  const result = checkInput(hostile, input)
  expect(result).toEqual({ ok: false, problem: expect.any(String) })
  expect(JSON.stringify(result).length).toBeLessThan(1000)
})

test('long values and names are shortened', () => {
  const result = checkInput(schema, { path: 'a', count: 'x'.repeat(1_000_000), [`y${'z'.repeat(100_000)}`]: 1 })
  expect(JSON.stringify(result).length).toBeLessThan(1000)
})

test('an input that could not be read is said to be missing, in words for a person', () => {
  expect(checkInput(schema, undefined)).toEqual({ ok: false, problem: 'There is no input, or it is not JSON.' })
})

test('an input of very many wrong values is refused with the first of them', () => {
  const schema = { type: 'object', properties: { rows: { type: 'array', items: { type: 'string' } } } }
  const result = checkInput(schema, { rows: Array.from({ length: 500_000 }, () => 1) })
  expect(result).toEqual({ ok: false, problem: '`rows[0]` must be a string, not `1`.' })
  const all = Array.from({ length: 500_000 }, () => 'x')
  expect(checkInput(schema, { rows: all })).toMatchObject({ ok: true })
  expect(checkInput(schema, { rows: [...all, 1] })).toEqual({
    ok: false,
    problem: '`rows[500000]` must be a string, not `1`.',
  })
})
