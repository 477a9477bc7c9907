import type { JsonSchema } from '@argot/core'
import { isRecord } from '@argot/core/stream/internal'

/** A check visits at most this many nodes of a schema, however often its references repeat a part. */
const MAX_NODES = 5000
const MAX_DEPTH = 64

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const NUMBERS: readonly string[] =
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties'.split(
    ' ',
  )

type SchemaFields = Record<string, unknown>

/**
 * The part of an untrusted schema that is cheap to check for any input: without patterns, which can take forever; with
 * references inlined up to a limit; and without unsupported keywords. It accepts everything that the whole schema
 * accepts, and sometimes more. The provider of the schema checks the rest.
 */
export function boundedSchema(schema: JsonSchema): JsonSchema {
  return new SchemaBounder(schema).bound(schema, 0)
}

class SchemaBounder {
  readonly #root: unknown
  #left = MAX_NODES

  constructor(root: unknown) {
    this.#root = root
  }

  bound(value: unknown, depth: number): JsonSchema {
    if (!isRecord(value) || depth > MAX_DEPTH || this.#left-- <= 0) return {}
    const fields = new Map<string, unknown>()
    this.#takeValues(value, fields)
    this.#takeParts(value, fields, depth + 1)
    // References within the same schema are followed; others are not checked.
    const target = ownField(value, '$ref')
    if (typeof target === 'string') {
      const targetSchema = this.bound(this.#find(target), depth + 1)
      fields.set('allOf', [...((fields.get('allOf') as JsonSchema[] | undefined) ?? []), targetSchema])
    }
    return Object.fromEntries(fields)
  }

  #takeValues(value: SchemaFields, fields: Map<string, unknown>): void {
    const type = ownField(value, 'type')
    if (TYPES.has(type) || (Array.isArray(type) && type.every(one => TYPES.has(one)))) fields.set('type', type)
    const required = ownField(value, 'required')
    if (Array.isArray(required) && required.every(one => typeof one === 'string')) fields.set('required', required)
    const choices = ownField(value, 'enum')
    if (Array.isArray(choices)) fields.set('enum', choices)
    if (Object.hasOwn(value, 'const')) fields.set('const', value.const)
    for (const name of NUMBERS) {
      const limit = ownField(value, name)
      if (typeof limit === 'number') fields.set(name, limit)
    }
  }

  #takeParts(value: SchemaFields, fields: Map<string, unknown>, depth: number): void {
    const properties = ownField(value, 'properties')
    if (isRecord(properties)) {
      const entries = Object.entries(properties).map(([name, one]): [string, JsonSchema | boolean] => [
        name,
        typeof one === 'boolean' ? one : this.bound(one, depth),
      ])
      fields.set('properties', Object.fromEntries(entries))
    }
    const others = ownField(value, 'additionalProperties')
    // Without the pattern, a property that it would have allowed must not be refused.
    if (others !== undefined && ownField(value, 'patternProperties') === undefined) {
      fields.set('additionalProperties', typeof others === 'boolean' ? others : this.bound(others, depth))
    }
    const items = ownField(value, 'items')
    if (isRecord(items) && ownField(value, 'prefixItems') === undefined) fields.set('items', this.bound(items, depth))
    const all = ownField(value, 'allOf')
    if (Array.isArray(all)) {
      fields.set(
        'allOf',
        all.map(one => this.bound(one, depth)),
      )
    }
    // Without their patterns, several alternatives may match.
    const alternatives = ownField(value, 'anyOf') ?? ownField(value, 'oneOf')
    if (Array.isArray(alternatives) && alternatives.length > 0) {
      fields.set(
        'anyOf',
        alternatives.map(one => this.bound(one, depth)),
      )
    }
  }

  #find(pointer: string): unknown {
    if (pointer === '#') return this.#root
    if (!pointer.startsWith('#/')) return undefined
    let target = this.#root
    for (const name of pointer.slice(2).split('/'))
      target = ownField(target, name.replaceAll('~1', '/').replaceAll('~0', '~'))
    return target
  }
}

function ownField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as SchemaFields)[name]
    : undefined
}
