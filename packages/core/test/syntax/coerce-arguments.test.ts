import { coerceArguments } from '@argot/core/syntax/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const tool = {
  name: 'search',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string' },
      limit: { type: 'integer' },
      deep: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      where: { type: 'object', properties: { page: { type: 'integer' } } },
    },
    required: ['query'],
  },
} as const

describe('a value of the wrong type', () => {
  test.each([
    ['{"query": "a", "limit": "5"}', { query: 'a', limit: 5 }],
    ['{"query": 7}', { query: '7' }],
    ['{"query": "a", "deep": "true"}', { query: 'a', deep: true }],
    ['{"query": "a", "tags": "x"}', { query: 'a', tags: ['x'] }],
    ['{"query": "a", "tags": "[\\"x\\", \\"y\\"]"}', { query: 'a', tags: ['x', 'y'] }],
    ['{"query": "a", "where": {"page": "2"}}', { query: 'a', where: { page: 2 } }],
    ['{"query": "a", "limit": null}', { query: 'a' }],
    ["{'query': 'a', 'deep': True}", { query: 'a', deep: true }],
    ['"{\\"query\\": \\"a\\"}"', { query: 'a' }],
  ])('%s is converted', (json, input) => {
    expect(coerceArguments(tool as never, json)).toMatchObject({ input, coerced: true })
  })

  test.each([
    '{"query": "a", "limit": "five"}',
    '{"limit": 5}',
    '{"query": null}',
    '[1]',
    '{"query": "a"',
    'null and void',
  ])('%s has a problem', json => {
    expect(coerceArguments(tool as never, json)).toHaveProperty('problem')
  })
})

test('arguments that fit stay as they were written, to the letter', () => {
  for (const json of ['{ "query" : "a" }', '{"query":"a","other":12345678901234567890}', '{"query":"a","limit":5.0}']) {
    expect(coerceArguments(tool as never, json)).toMatchObject({ json, coerced: false })
  }
})

test('nothing is lost or changed for any object that fits', () => {
  const fits = fc.record(
    { query: fc.string(), limit: fc.integer(), tags: fc.array(fc.string()) },
    { requiredKeys: ['query'] },
  )
  fc.assert(
    fc.property(fits, input => {
      const json = JSON.stringify(input)
      expect(coerceArguments(tool as never, json)).toEqual({ input: JSON.parse(json), json, coerced: false })
    }),
  )
})

test('no text makes it throw', () => {
  fc.assert(fc.property(fc.string(), text => void coerceArguments(tool as never, text)))
  fc.assert(fc.property(fc.json(), text => void coerceArguments(tool as never, text)))
})
