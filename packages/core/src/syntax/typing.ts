import type { ValueShape } from './input-shape.ts'
import { parseJson } from './json-text.ts'
import { MAX_DEPTH } from './limits.ts'
import { fits, inWords } from './schema.ts'

/** A parameter as the model wrote it: one text, or a list of them. */
export type Written =
  | { text: string /** It stood on the line of its name. */; inline?: boolean }
  /** A list that the syntax itself marks as one. */
  | { items: readonly string[] }

/** A value and the JSON it is written as, or what is wrong with the text. */
export type Typed = { value: unknown; json: string } | { problem: string; tooDeep?: boolean }

/** What a text is where nothing is said of its type: itself. */
export function untyped(text: string): Typed {
  return { value: text, json: JSON.stringify(text) }
}

/** What a text is, given what the schema says. The problem names the value and the type that was expected. */
export function typed(text: string, shape: ValueShape): Typed {
  const { types, schema } = shape
  if (shape.arrival === 'stream') return untyped(text)
  const onlyString = types.size === 1 && types.has('string')
  const json = onlyString ? undefined : readJson(text, shape)
  if (json !== undefined && 'problem' in json) return json
  if (json !== undefined && fits(json.value, schema)) return json
  if (types.has('string')) {
    for (const candidate of [text, text.trim()]) if (fits(candidate, schema)) return untyped(candidate)
  }
  if (types.has('array') && !(types.has('string') || Array.isArray(json?.value))) {
    const item = shape.items === undefined ? anyValue(text) : typed(text, shape.items)
    if ('problem' in item) return { problem: misfit(text, shape) }
    const value = [item.value]
    if (fits(value, schema)) return { value, json: `[${item.json}]` }
  }
  return { problem: misfit(text, shape) }
}

/** What a value is that the syntax has read itself, given what the schema says. Where it does not fit, its text may. */
export function typedValue(value: unknown, shape: ValueShape): Typed {
  if (fits(value, shape.schema)) return { value, json: JSON.stringify(value) }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return typed(String(value), shape)
  }
  const list = [value]
  if (value !== null && !Array.isArray(value) && fits(list, shape.schema)) {
    return { value: list, json: JSON.stringify(list) }
  }
  return { problem: misfit(JSON.stringify(value), shape) }
}

/** What a parameter is that was written several times, or as a list, given what the schema says. */
export function typedList(written: readonly Written[], shape: ValueShape): Typed {
  const [first] = written
  if (written.length === 1 && first !== undefined && 'text' in first) return typedAlone(first, shape)
  const values: unknown[] = []
  const json: string[] = []
  for (const entry of written) {
    for (const text of 'text' in entry ? [entry.text] : entry.items) {
      const item = shape.items === undefined ? anyValue(text) : typed(text, shape.items)
      if ('problem' in item) return { ...item, problem: `${item.problem} in each place of its list` }
      values.push(item.value)
      json.push(item.json)
    }
  }
  if (fits(values, shape.schema)) return { value: values, json: `[${json.join(',')}]` }
  return { problem: misfit(`[${json.join(',')}]`, shape) }
}

/** A single text where an array may stand. In a line of its own, brackets must hold JSON: `[a, b]` is a mistake. */
function typedAlone({ text, inline }: { text: string; inline?: boolean }, shape: ValueShape): Typed {
  if (inline === true && text.startsWith('[') && shape.types.has('array') && !shape.types.has('string')) {
    const json = readJson(text, shape)
    if (json === undefined || 'problem' in json || !fits(json.value, shape.schema)) {
      return { problem: `${misfit(text, shape)} (one item to a line between \`[\` and \`]\`, without commas)` }
    }
  }
  return typed(text, shape)
}

/** JSON where the text is some, the text itself otherwise. */
function anyValue(text: string): Typed {
  const json = parseJson(text)
  return typeof json === 'object' ? { value: json.value, json: text } : untyped(text)
}

function readJson(text: string, shape: ValueShape): Typed | undefined {
  const json = parseJson(text)
  if (json === 'too-deep') {
    if (shape.types.has('string')) return undefined
    return { problem: `must not nest deeper than ${MAX_DEPTH} levels`, tooDeep: true }
  }
  if (json !== undefined) return { value: json.value, json: text }
  const word = text.length < 16 ? text.trim().toLowerCase() : ''
  if (shape.types.has('string') || !(word === 'true' || word === 'false' || word === 'null')) return undefined
  return { value: JSON.parse(word), json: word }
}

/** What is wrong with a value that came as JSON, or undefined where it is what the schema says. */
export function valueProblem(value: unknown, { schema }: ValueShape): string | undefined {
  return fits(value, schema) ? undefined : `must be ${inWords(schema)}, but was ${shorten(JSON.stringify(value))}`
}

function misfit(text: string, shape: ValueShape): string {
  return `must be ${inWords(shape.schema)}, but was ${JSON.stringify(shorten(text))}`
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
