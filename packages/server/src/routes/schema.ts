import type { JsonSchema } from '@argot/core'
import { defined } from '@argot/core/stream/internal'

declare const values: unique symbol

/**
 * A JSON Schema for values of one type. Only the functions in this file create one, and their arguments follow from the
 * type: a schema with another field, another field type or another list of `required` doesn't compile.
 */
export interface Schema<in out Value> extends JsonSchema {
  readonly [values]: (value: Value) => Value
}

interface Optional<Value> {
  optional: Schema<Value>
}

type Marked = { optional: JsonSchema }

/** A schema for every field of a type, marked as optional exactly if the field is. */
export type Properties<Value> = {
  readonly [Key in keyof Value]-?: object extends Pick<Value, Key>
    ? Optional<Exclude<Value[Key], undefined>>
    : Schema<Value[Key]>
}

/** A schema that isn't checked against the type. Only for types that are described elsewhere, such as messages. */
export function outline<Value>(schema: JsonSchema): Schema<Value> {
  return schema as Schema<Value>
}

export const text: Schema<string> = outline({ type: 'string' })
export const date: Schema<string> = outline({ type: 'string', format: 'date-time' })
export const flag: Schema<boolean> = outline({ type: 'boolean' })
export const count: Schema<number> = outline({ type: 'integer', minimum: 0 })
export const amount: Schema<number> = outline({ type: 'number', minimum: 0 })
export const integer: Schema<number> = outline({ type: 'integer' })
export const anything: Schema<unknown> = outline({})

export function textWith(keywords: JsonSchema): Schema<string> {
  return outline({ type: 'string', ...keywords })
}

export function choice<const Choice extends string | number>(...choices: readonly Choice[]): Schema<Choice> {
  return outline({ type: typeof choices[0] === 'number' ? 'integer' : 'string', enum: choices })
}

export function list<Value>(items: Schema<Value>, keywords: JsonSchema = {}): Schema<Value[]> {
  return outline({ type: 'array', ...keywords, items })
}

export function record<Value>(value: Schema<Value>, keywords: JsonSchema): Schema<Record<string, Value>> {
  return outline({ type: 'object', additionalProperties: value, ...keywords })
}

export function oneOfTwo<First, Second>(first: Schema<First>, second: Schema<Second>): Schema<First | Second> {
  return outline({ anyOf: [first, second] })
}

export function optional<Value>(schema: Schema<Value>): Optional<Value> {
  return { optional: schema }
}

/** An object that may have fields that the type doesn't name. */
export function openObject<Value extends object>(properties: Properties<Value>): Schema<Value> {
  const fields = Object.entries(properties as Record<string, JsonSchema | Marked>)
  const required = fields.filter(([, schema]) => !isOptional(schema)).map(([name]) => name)
  return outline({
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, schema]) => [name, isOptional(schema) ? schema.optional : schema]),
    ),
    ...defined({ required: required.length > 0 ? required : undefined }),
  })
}

export function object<Value extends object>(properties: Properties<Value>): Schema<Value> {
  return outline({ ...openObject(properties), additionalProperties: false })
}

export function either<First extends object, Second extends object>(
  properties: { readonly [Key in keyof (First & Second)]-?: Schema<(First & Second)[Key]> },
  first: Record<keyof First, true>,
  second: Record<keyof Second, true>,
): Schema<First | Second> {
  const oneOf = [first, second].map(fields => ({ required: Object.keys(fields) }))
  return outline({ type: 'object', properties, oneOf, additionalProperties: false })
}

function isOptional(schema: JsonSchema | Marked): schema is Marked {
  return 'optional' in schema
}
