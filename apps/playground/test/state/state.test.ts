import { expect, test } from 'vitest'
import { parseTools } from '../../src/state/parse-tools.ts'
import { shiftSegments } from '../../src/state/shift-segments.ts'
import { describeRest, describeVerdict, listWords, plural } from '../../src/state/words.ts'

const schema = { type: 'object', properties: { city: { type: 'string' } } }

test.each([
  ['Argot and MCP', [{ name: 'a', inputSchema: schema }]],
  ['Anthropic', [{ name: 'a', input_schema: schema }]],
  ['OpenAI', [{ type: 'function', function: { name: 'a', parameters: schema } }]],
  ['OpenAI responses', [{ type: 'function', name: 'a', parameters: schema }]],
  ['a list of tools from MCP', { tools: [{ name: 'a', inputSchema: schema }] }],
])('tools in the shape of %s are read', (_shape, value) => {
  expect(parseTools(JSON.stringify(value))).toEqual({ tools: [{ name: 'a', inputSchema: schema }] })
})

test.each([
  ['{', 'not valid JSON'],
  ['[{"name": }]', "This is not valid JSON: Unexpected token '}'."],
  ['7', 'JSON array of tools'],
  ['[{}]', 'Tool 1 has no name'],
  ['[null]', 'Tool 1 has no name'],
  [JSON.stringify(Array.from({ length: 201 }, (_, i) => ({ name: `t${i}` }))), 'at most 200'],
  [`["${'a'.repeat(300_000)}"]`, 'too long'],
])('what is no list of tools is refused with a reason: %.20s', (json, reason) => {
  expect(parseTools(json).problem).toContain(reason)
})

test('no text is no tools', () => {
  expect(parseTools(' \n')).toEqual({ tools: [] })
})

test('segments move with the text until it is read again', () => {
  const segments = [
    { kind: 'text' as const, start: 0, end: 4 },
    { kind: 'call' as const, start: 4, end: 8, index: 0 },
    { kind: 'text' as const, start: 8, end: 10 },
  ]
  const ranges = (after: string): number[][] =>
    shiftSegments(segments, '0123CALL89', after).map(({ start, end }) => [start, end])
  expect(ranges('0123CALL89')).toEqual([
    [0, 4],
    [4, 8],
    [8, 10],
  ])
  expect(ranges('0x123CALL89')).toEqual([
    [0, 5],
    [5, 9],
    [9, 11],
  ])
  expect(ranges('0123CAxLL89')).toEqual([
    [0, 4],
    [4, 9],
    [9, 11],
  ])
  expect(ranges('012389')).toEqual([
    [0, 4],
    [4, 6],
  ])
  expect(ranges('')).toEqual([])
})

test('words are in the singular and in the plural', () => {
  expect([plural(1, 'call'), plural(2, 'call'), plural(1200, 'call')]).toEqual(['1 call', '2 calls', '1,200 calls'])
  expect([listWords([]), listWords(['a']), listWords(['a', 'b', 'c'])]).toEqual(['', 'a', 'a, b and c'])
})

test('the verdict says how many calls there are, how they were read, and what else there is', () => {
  const empty = { syntax: 'auto', length: 3, segments: [], calls: [], examples: [], misses: [], events: [] }
  const call = { id: 'c1', toolName: 'a', start: 0, end: 1, openedAt: 0, settledAt: 1 }
  const failure = { code: 'SYNTAX_BAD_VALUE', message: '' }
  const miss = { code: 'SYNTAX_NEAR_MISS', toolName: 'a', offset: 0, message: '', cure: '' }
  expect(describeVerdict(empty)).toBe('No calls')
  expect(describeRest(empty)).toEqual(['It is all text.'])
  const mixed = {
    ...empty,
    calls: [
      { ...call, dialect: 'hermes' },
      { ...call, failure, dialect: 'glm' },
    ],
    misses: [miss, miss],
  }
  expect(describeVerdict(mixed)).toBe('1 call, read as hermes and glm')
  expect(describeRest(mixed)).toEqual(['1 call failed.', '2 near misses.'])
  expect(describeVerdict({ ...empty, syntax: 'xml', calls: [{ ...call, failure }] })).toBe(
    'No complete call, read as xml',
  )
})
