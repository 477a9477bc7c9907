import type { JsonSchema } from '@argot/core'
import { describe, expect, test } from 'vitest'
import { boundedSchema } from '../../src/tool/schema/bounded-schema.ts'
import { checkInput } from '../../src/tool/schema/check-input.ts'

const check = (schema: JsonSchema, input: unknown): boolean => checkInput(boundedSchema(schema), input).ok

describe('the part of a schema that is cheap to check', () => {
  test('checks types, names, choices, limits and what references lead to', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { size: { $ref: '#/$defs/size' }, unit: { enum: ['cm', 'in'] }, tags: { items: { type: 'string' } } },
      required: ['size'],
      additionalProperties: false,
      $defs: { size: { type: 'integer', minimum: 1 } },
    }
    expect(check(schema, { size: 2, unit: 'cm', tags: ['a'] })).toBe(true)
    for (const input of [
      {},
      { size: 0 },
      { size: 'a' },
      { size: 1, unit: 'm' },
      { size: 1, tags: [1] },
      { size: 1, b: 1 },
    ]) {
      expect(check(schema, input), JSON.stringify(input)).toBe(false)
    }
  })

  test('accepts what only the whole schema could refuse', () => {
    const schemas: JsonSchema[] = [
      { properties: { a: { pattern: '^(a+)+$' } } },
      { patternProperties: { '^a': {} }, additionalProperties: false },
      { not: { properties: { a: { pattern: '^b' } } } },
      { oneOf: [{ properties: { a: { pattern: '^a' } } }, { properties: { a: { pattern: '^b' } } }] },
      { properties: { a: { $ref: 'https://example.org/a.json' } } },
      { properties: { a: { type: 'bogus' } } },
      { required: 'a' } as never,
    ]
    for (const schema of schemas) expect(check(schema, { a: `${'a'.repeat(60)}!` }), JSON.stringify(schema)).toBe(true)
  })

  test('is not larger for references that repeat themselves, or for a schema without a floor', () => {
    const $defs: Record<string, JsonSchema> = { a0: { type: 'object' } }
    for (let index = 1; index < 40; index++) {
      const $ref = `#/$defs/a${index - 1}`
      $defs[`a${index}`] = { allOf: [{ $ref }, { $ref }] }
    }
    expect(JSON.stringify(boundedSchema({ $ref: '#/$defs/a39', $defs })).length).toBeLessThan(200_000)
    expect(check({ type: 'object', properties: { a: { $ref: '#' } } }, { a: { a: {} } })).toBe(true)
    const deep = JSON.parse(`${'{"items":'.repeat(3000)}{}${'}'.repeat(3000)}`) as JsonSchema
    expect(check(deep, [[[]]])).toBe(true)
  })
})
