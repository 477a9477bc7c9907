import type { JsonSchema } from '@argot/core'

/** A field of an edited input, based on its schema, or else on its value. */
export interface InputField {
  /** Undefined for an input that is not an object: then one field holds all of it. */
  key: string | undefined
  label: string
  kind: 'text' | 'long' | 'number' | 'boolean' | 'choice' | 'json'
  choices: readonly string[]
  /** The value as the model wrote it, as text. */
  original: string
  description: string | undefined
}

/** A text with more characters than this, or with line breaks, gets a multi-line field. */
const LONG_TEXT = 60

/** An input's fields. Keys that only the schema has come last, empty. */
export function inputFields(input: unknown, schema: JsonSchema | undefined): InputField[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return [field(undefined, 'input', input, typeof schema === 'object' ? schema : undefined)]
  }
  const properties = schema?.properties ?? {}
  const keys = Object.keys(input)
  const missing = Object.keys(properties).filter(key => !Object.hasOwn(input, key))
  return [...keys, ...missing].map(key => {
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined
    const value: unknown = Object.hasOwn(input, key) ? (input as Record<string, unknown>)[key] : undefined
    return field(key, key, value, typeof own === 'object' ? own : undefined)
  })
}

function field(key: string | undefined, label: string, value: unknown, schema: JsonSchema | undefined): InputField {
  const kind = getKind(value, schema)
  return {
    key,
    label,
    kind,
    choices: kind === 'choice' ? (schema?.enum ?? []).map(String) : [],
    original: formatValue(value, kind),
    description: schema?.description,
  }
}

function getKind(value: unknown, schema: JsonSchema | undefined): InputField['kind'] {
  if (schema?.enum?.every(one => typeof one === 'string') === true) return 'choice'
  const type = typeof schema?.type === 'string' ? schema.type : value === undefined ? undefined : typeof value
  if (type === 'boolean') return 'boolean'
  if (type === 'number' || type === 'integer') return 'number'
  if (type !== 'string' && type !== undefined) return 'json'
  return typeof value === 'string' && (value.length > LONG_TEXT || value.includes('\n')) ? 'long' : 'text'
}

function formatValue(value: unknown, kind: InputField['kind']): string {
  if (value === undefined) return ''
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

/** A form's texts, by field; untouched fields are missing. */
export type EditedTexts = Readonly<Record<string, string>>

export type EditedInput = { input: unknown; invalid?: undefined } | { invalid: string; input?: undefined }

/** The input that results from a form's texts, or the label of the first field that can't be parsed. */
export function editedInput(input: unknown, fields: readonly InputField[], texts: EditedTexts): EditedInput {
  const whole = fields.find(({ key }) => key === undefined)
  if (whole !== undefined) {
    const read = readField(whole, textFor(whole, texts), input)
    return read === invalid ? { invalid: whole.label } : { input: read }
  }
  const entries: [string, unknown][] = []
  for (const one of fields) {
    const key = one.key!
    const before = Object.hasOwn(input as object, key) ? (input as Record<string, unknown>)[key] : undefined
    const value = readField(one, textFor(one, texts), before)
    if (value === invalid) return { invalid: one.label }
    if (value !== undefined) entries.push([key, value])
  }
  return { input: Object.fromEntries(entries) }
}

export function textFor(field: InputField, texts: EditedTexts): string {
  const name = fieldName(field)
  return Object.hasOwn(texts, name) ? texts[name]! : field.original
}

/** A unique key for each field, whatever the parameter is called. */
export function fieldName({ key }: InputField): string {
  return key === undefined ? 'whole' : `key ${key}`
}

const invalid = Symbol('invalid')

function readField(field: InputField, text: string, before: unknown): unknown {
  if (text === field.original) return before
  switch (field.kind) {
    case 'boolean':
      return text === 'true'
    case 'number':
      return parseNumber(text)
    case 'json':
      return parseJson(text)
    default:
      return text === '' && before === undefined ? undefined : text
  }
}

function parseNumber(text: string): unknown {
  if (text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : invalid
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return invalid
  }
}
