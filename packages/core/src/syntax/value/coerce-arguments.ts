import type { ToolDefinition } from '../../message/tool-definition.ts'
import { isRecord } from '../../source/is-record.ts'
import { setOwn } from '../../stream/set-own.ts'
import { inputShape, valueShape } from './input-shape.ts'
import { parseJson, quoteLargeIntegers } from './json-text.ts'
import { lenientJson } from './lenient-json.ts'
import { fits, getItem, getMember, type RootedSchema } from './schema.ts'
import { typeValue } from './typed-value.ts'

/** A call's arguments as JSON, and whether they differ from what the model wrote; or the problem with them. */
export type CoercedArguments = { input: Record<string, unknown>; json: string; coerced: boolean } | { problem: string }

/**
 * Reads a native call's arguments by the tool's schema. JSON that is nearly right is repaired, and a value of the wrong
 * type is converted if its meaning stays the same: `"5"` becomes 5 for an integer, and `null` for an optional parameter
 * is dropped. Arguments that already fit stay exactly as written. Without a tool, any object fits.
 */
export function coerceArguments(tool: ToolDefinition | undefined, json: string): CoercedArguments {
  const args = readObject(json)
  if (args === undefined) return { problem: 'The arguments are not one valid JSON object.' }
  const { input, isExact } = args
  const exact = { input, json: isExact ? json : JSON.stringify(input), coerced: !isExact }
  if (tool === undefined) return exact
  const shape = inputShape(tool)
  // JavaScript would round these numbers on the way, so these arguments only pass or fail.
  const isFixed = isExact && quoteLargeIntegers(json) !== undefined
  const result: Record<string, unknown> = {}
  let coerced = false
  for (const [key, value] of Object.entries(input)) {
    const property = shape.properties.get(key) ?? shape.others
    const isRequired = shape.required.includes(key)
    if (property === undefined || isFixed || fits(value, property.schema)) setOwn(result, key, value)
    else if (value === null && !isRequired) coerced = true
    else {
      const coercion = coerceValue(value, property.schema, 0)
      if ('problem' in coercion) return { problem: `Parameter \`${key}\` of \`${tool.name}\` ${coercion.problem}.` }
      setOwn(result, key, coercion.value)
      coerced = true
    }
  }
  const missing = shape.required.find(key => !Object.hasOwn(result, key))
  if (missing !== undefined) return { problem: `Parameter \`${missing}\` of \`${tool.name}\` is required and missing.` }
  return coerced ? { input: result, json: JSON.stringify(result), coerced } : exact
}

/** Some servers send nothing for a call without arguments, and some send the JSON as a string. */
function readObject(json: string): { input: Record<string, unknown>; isExact: boolean } | undefined {
  if (json.trim() === '') return { input: {}, isExact: false }
  const parsed = parseJson(json)
  if (parsed === 'too-deep') return undefined
  if (parsed === undefined) {
    const lenient = lenientJson(json)
    return isRecord(lenient?.value) ? { input: lenient.value, isExact: false } : undefined
  }
  const { value } = parsed
  if (isRecord(value)) return { input: value, isExact: true }
  if (value === null) return { input: {}, isExact: false }
  const inner = typeof value === 'string' ? parseJson(value) : undefined
  return typeof inner === 'object' && isRecord(inner.value) ? { input: inner.value, isExact: false } : undefined
}

const MAX_LEVELS = 16

/** Converts the value's members and items, as far as the schema names them. */
function coerceValue(value: unknown, schema: RootedSchema, level: number): { value: unknown } | { problem: string } {
  if (level < MAX_LEVELS && typeof value === 'object' && value !== null) {
    const inner = coerceInside(value, schema, level)
    if (fits(inner, schema)) return { value: inner }
  }
  return typeValue(value, valueShape(schema))
}

function coerceInside(value: object, schema: RootedSchema, level: number): unknown {
  const convert = (member: unknown, node: RootedSchema | undefined): unknown => {
    if (node === undefined || fits(member, node)) return member
    const coercion = coerceValue(member, node, level + 1)
    return 'problem' in coercion ? member : coercion.value
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => convert(item, getItem(schema, index)))
  }
  const result: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    setOwn(result, key, convert(member, getMember(schema, key)))
  }
  return result
}
