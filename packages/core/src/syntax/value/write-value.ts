import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { CallToWrite } from '../../message/tool-invocation.ts'
import { ArgotError } from '../../source/error.ts'
import { MAX_CALL, MAX_DEPTH, MAX_NAME, MAX_PARAMETERS } from '../limits.ts'
import { readTool } from '../tool-list.ts'
import { isName } from '../tool-names.ts'
import { checkCall } from './check-call.ts'
import { inputShape, type ValueShape } from './input-shape.ts'
import { exponentForm, nestsTooDeeply, parseJson } from './json-text.ts'
import { isEqual } from './schema.ts'
import { type TypedResult, typeList, typeText, type WrittenValue } from './typed-value.ts'

export interface WrittenParameter {
  key: string
  written: WrittenValue
}

/**
 * How a syntax marks lists: with its own brackets (`marked`), by repeating a parameter (`repeated`), or as JSON if the
 * parameter's schema is known, and by repeating it otherwise (`json`).
 */
export type ListStyle = 'marked' | 'repeated' | 'json'

/**
 * A call's parameters, each as text that reads back as the same value. With the tool's definition, each value takes its
 * plainest form. Without it, the form is right whichever single type the schema gives.
 *
 * Throws `SYNTAX_CANNOT_WRITE` for an input that no text syntax can carry.
 */
export function writeParameters(
  call: CallToWrite,
  tool: ToolDefinition | undefined,
  lists: ListStyle,
): WrittenParameter[] {
  const { toolName, input = {} } = checkCall(call)
  if (!isName(toolName) || toolName.length > MAX_NAME) refuse(`${JSON.stringify(toolName)} is not a name`)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) refuse('the input is not an object')
  const shape = tool === undefined ? undefined : inputShape(readTool(tool))
  const parameters: WrittenParameter[] = []
  let size = 0
  for (const [key, value] of Object.entries(input as object)) {
    if (value === undefined) continue
    if (!isName(key) || key.length > MAX_NAME) refuse(`${JSON.stringify(key)} is not a name`)
    const source = writeValue(value, shape?.properties.get(key) ?? shape?.others, lists)
    size += 'text' in source ? source.text.length : source.items.reduce((sum, item) => sum + item.length, 0)
    parameters.push({ key, written: source })
  }
  if (parameters.length > MAX_PARAMETERS) refuse(`there are more than ${MAX_PARAMETERS} parameters`)
  if (size > MAX_CALL) refuse(`it is longer than ${MAX_CALL} characters`)
  return parameters
}

export function refuse(why: string): never {
  throw new ArgotError('SYNTAX_CANNOT_WRITE', `The call cannot be written: ${why}.`)
}

function writeValue(value: unknown, shape: ValueShape | undefined, lists: ListStyle): WrittenValue {
  if (typeof value === 'string' && (shape === undefined || shape.arrival === 'stream')) return { text: value }
  const json = writeJson(value)
  const plain: WrittenValue[] = typeof value === 'string' ? [{ text: value }] : []
  if (Array.isArray(value) && !(lists === 'json' && shape !== undefined)) {
    const items = value.map(item => (typeof item === 'string' ? item : writeJson(item)))
    if (items.length === 1 && lists !== 'marked') plain.push({ text: items[0] ?? '' })
    else if (items.length > 0 || lists === 'marked') plain.push({ items })
  }
  const [first] = plain
  if (first === undefined) return { text: json }
  if (shape === undefined) return isSafe(value, lists) ? first : { text: json }
  const result: TypedResult =
    'text' in first && shape.arrival !== 'late' ? typeText(first.text, shape) : typeList([first], shape)
  return 'value' in result && isEqual(result.value, value) ? first : { text: json }
}

/** True for a list that reads back correctly whatever the schema says about its items. */
function isSafe(value: unknown, lists: ListStyle): boolean {
  if (!Array.isArray(value) || (lists !== 'marked' && value.length < 2)) return false
  return value.every(item => typeof item === 'string' && parseJson(item) === undefined)
}

/** Throws `SYNTAX_CANNOT_WRITE` for values that JSON can't hold or that nest too deeply. */
export function writeJson(value: unknown): string {
  let json: string | undefined
  try {
    json = JSON.stringify(value, (_, each: unknown) => {
      if (typeof each === 'number' && !Number.isFinite(each)) throw new TypeError('not a number of JSON')
      return each
    })
  } catch {
    refuse("it has a value that JSON can't represent")
  }
  if (json === undefined) refuse("it has a value that JSON can't represent")
  if (nestsTooDeeply(json)) refuse(`it has a value that nests deeper than ${MAX_DEPTH} levels`)
  return exponentForm(json)
}
