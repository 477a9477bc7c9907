import type { ErrorCode } from '../../source/error.ts'
import { MAX_DEPTH } from '../limits.ts'
import type { ParserOptions } from '../syntax.ts'
import { itemShape, type ValueShape } from './input-shape.ts'
import { parseJson, quoteLargeIntegers } from './json-text.ts'
import { lenientJson } from './lenient-json.ts'
import { describeSchema, fits } from './schema.ts'

export type WrittenValue =
  | { text: string /** On the same line as its name. */; inline?: boolean }
  /** The syntax itself marks it as a list. */
  | { items: readonly string[] }

export type TypedResult =
  | { value: unknown; json: string; repaired?: readonly string[] }
  | { problem: string; code?: ErrorCode }

type ReadingOptions = Pick<ParserOptions, 'integers' | 'repair'>

export const integerTooLarge = 'is an integer beyond 2^53, which cannot be read exactly; do not send this value again'

export function typeAsString(text: string): TypedResult {
  return { value: text, json: JSON.stringify(text) }
}

/** The problem names the value and the expected type. */
export function typeText(text: string, shape: ValueShape, options: ReadingOptions = {}): TypedResult {
  const { types, schema } = shape
  if (shape.arrival === 'stream') return typeAsString(text)
  const onlyString = types.size === 1 && types.has('string')
  const json = onlyString ? undefined : readJson(text, shape, options)
  if (json !== undefined && 'problem' in json) return json
  if (json !== undefined && fits(json.value, schema)) return json
  if (types.has('string')) {
    for (const candidate of [text, text.trim()]) if (fits(candidate, schema)) return typeAsString(candidate)
  }
  if (json?.large === true) return { problem: integerTooLarge, code: 'SYNTAX_INTEGER_TOO_LARGE' }
  if (types.has('array') && !(types.has('string') || Array.isArray(json?.value) || isBrokenList(text, json))) {
    const item = typeItem(text, shape, 0, options)
    if ('problem' in item) return item.code === undefined ? { problem: describeMisfit(text, shape) } : item
    const value = [item.value]
    if (fits(value, schema)) return { ...item, value, json: `[${item.json}]` }
  }
  return typeFlag(text, shape, options) ?? { problem: describeMisfit(text, shape) }
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['on', true],
  ['1', true],
  ['no', false],
  ['off', false],
  ['0', false],
])

/** Another word for true or false, if nothing else can be meant. */
function typeFlag(text: string, { types, schema }: ValueShape, { repair }: ReadingOptions): TypedResult | undefined {
  const isFlag = types.has('boolean') && [...types].every(type => type === 'boolean' || type === 'null')
  const value = isFlag && repair !== 'none' ? flags.get(text.trim().toLowerCase()) : undefined
  return value === undefined || !fits(value, schema)
    ? undefined
    : { value, json: String(value), repaired: ['boolean-words'] }
}

/** True for a text that isn't JSON and looks like a list with a missing piece. It isn't a list of one. */
function isBrokenList(text: string, json: ParsedJson | undefined): boolean {
  const plain = text.trim()
  if (plain.startsWith('[')) return true
  return json === undefined && (/^(?:["'{]|\(\s*["'])/.test(plain) || (plain.endsWith(']') && !plain.includes('[')))
}

/** Types a value that the syntax has read itself. If it doesn't fit the schema, its text may. */
export function typeValue(value: unknown, shape: ValueShape, options: ReadingOptions = {}): TypedResult {
  if (fits(value, shape.schema)) return { value, json: JSON.stringify(value) }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return typeText(String(value), shape, options)
  }
  const list = [value]
  if (value !== null && !Array.isArray(value) && fits(list, shape.schema)) {
    return { value: list, json: JSON.stringify(list) }
  }
  return { problem: describeMisfit(JSON.stringify(value), shape) }
}

export function typeList(
  sources: readonly WrittenValue[],
  shape: ValueShape,
  options: ReadingOptions = {},
): TypedResult {
  const [first] = sources
  if (sources.length === 1 && first !== undefined && 'text' in first) return typeSingleText(first, shape, options)
  const values: unknown[] = []
  const json: string[] = []
  const repairs: string[] = []
  for (const entry of sources) {
    for (const text of 'text' in entry ? [entry.text] : entry.items) {
      const item = typeItem(text, shape, values.length, options)
      const place = shape.isTuple === true ? `item ${values.length + 1}` : 'each item'
      if ('problem' in item) return { ...item, problem: `${item.problem} in ${place} of its list` }
      values.push(item.value)
      json.push(item.json)
      if (item.repaired !== undefined) repairs.push(...item.repaired)
    }
  }
  if (fits(values, shape.schema)) return { value: values, json: `[${json.join(',')}]`, repaired: repairs }
  return { problem: describeMisfit(`[${json.join(',')}]`, shape) }
}

function typeItem(text: string, list: ValueShape, index: number, options: ReadingOptions): TypedResult {
  const shape = itemShape(list, index)
  return shape === undefined ? parseOrKeep(text) : typeText(text, shape, options)
}

/** A single text for a possible array. On the line of its name, brackets must hold JSON: `[a, b]` is a mistake. */
function typeSingleText(
  source: { text: string; inline?: boolean },
  shape: ValueShape,
  options: ReadingOptions,
): TypedResult {
  const { text, inline } = source
  const result = typeText(text, shape, options)
  const isMistake = 'problem' in result && inline === true && text.startsWith('[') && shape.types.has('array')
  if (!isMistake || shape.types.has('string') || result.code !== undefined) return result
  return { problem: `${describeMisfit(text, shape)} (one item to a line between \`[\` and \`]\`, without commas)` }
}

/** Parses JSON if the text is valid JSON, otherwise keeps the text. */
export function parseOrKeep(text: string): TypedResult {
  const json = parseJson(text)
  return typeof json === 'object' ? { value: json.value, json: text } : typeAsString(text)
}

/** A value that was JSON, or nearly. `large`: it contains an integer that JavaScript can't hold. */
interface ParsedJson {
  value: unknown
  json: string
  repaired?: readonly string[]
  large?: boolean
}

function readJson(
  text: string,
  shape: ValueShape,
  { integers, repair }: ReadingOptions,
): ParsedJson | { problem: string; code: ErrorCode } | undefined {
  const json = parseJson(text)
  if (json === 'too-deep') {
    if (shape.types.has('string')) return undefined
    return { problem: `must not nest deeper than ${MAX_DEPTH} levels`, code: 'SYNTAX_TOO_DEEP' }
  }
  if (json !== undefined) {
    const quoted = integers === 'round' ? undefined : quoteLargeIntegers(text)
    return quoted === undefined
      ? { value: json.value, json: text }
      : { value: JSON.parse(quoted), json: quoted, large: true }
  }
  if (shape.types.has('string')) return undefined
  const word = text.length < 16 ? text.trim().toLowerCase() : ''
  if (word === 'true' || word === 'false' || word === 'null') return { value: JSON.parse(word), json: word }
  if (word === 'none' && shape.types.has('null')) return { value: null, json: 'null' }
  return shape.types.has('array') || shape.types.has('object') ? lenientJson(text, repair === 'all') : undefined
}

/** The problem with a value that came as JSON, or undefined if it fits the schema. */
export function valueProblem(value: unknown, { schema }: ValueShape, largeIntegers = false): string | undefined {
  if (fits(value, schema)) return undefined
  if (largeIntegers && hasLongDigitString(value)) return integerTooLarge
  return `must be ${describeSchema(schema)}, but was ${shorten(JSON.stringify(value))}`
}

function hasLongDigitString(value: unknown): boolean {
  return /"-?\d{16,}"/.test(JSON.stringify(value))
}

function describeMisfit(text: string, shape: ValueShape): string {
  return `must be ${describeSchema(shape.schema)}, but was ${JSON.stringify(shorten(text))}`
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
