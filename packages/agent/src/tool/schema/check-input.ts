import type { JsonSchema } from '@argot/core'
import { firstCharacters, isRecord } from '@argot/core/stream/internal'
import { describeSchema } from '@argot/core/syntax/internal'
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import { quoted } from '../../words/quoted.ts'
import { toMessage } from '../../words/to-message.ts'
import { cutOutput } from '../output/cut-output.ts'
import type { Validation } from '../tool.ts'

/** More would not help a model to rewrite the call. */
const MAX_PROBLEMS = 3

export const PROBLEM_BYTES = 4096

/** For a larger input, the check stops at the first problem if it can: each costs as much as a value. */
const MANY_VALUES = 10_000

const validators = new WeakMap<JsonSchema, { all: Validator; first: Validator }>()

/**
 * Checks a tool's input against its schema (draft 2020-12). The problem is one sentence for the model: which parameters
 * are wrong, and what is expected. Never throws: an unusable schema is a problem too.
 */
export function checkInput(schema: JsonSchema, input: unknown): Validation {
  if (input === undefined) return { ok: false, problem: 'There is no input, or it is not JSON.' }
  try {
    const errors = findErrors(schema, input)
    return errors.length === 0
      ? { ok: true, input }
      : { ok: false, problem: cutOutput(describeErrors(errors, schema, input), PROBLEM_BYTES) }
  } catch (error) {
    const reason = toMessage(error)
    return {
      ok: false,
      problem: `The input cannot be checked against the schema of the tool: ${cutOutput(oneLine(reason), PROBLEM_BYTES)}`,
    }
  }
}

function findErrors(schema: JsonSchema, input: unknown): OutputUnit[] {
  const { all, first } = getValidators(schema)
  const { valid, errors } = (hasMoreValues(input, MANY_VALUES) ? first : all).validate(input)
  if (valid) return []
  const relevant: OutputUnit[] = []
  let union: OutputUnit | undefined
  for (const error of errors) {
    // The errors of the alternatives, which come next, are less helpful than the fact that none of them matches.
    if (CONTAINERS.has(error.keyword) || (union !== undefined && isWithin(error, union))) continue
    relevant.push(error)
    union = UNIONS.has(error.keyword) ? error : undefined
  }
  return relevant.length > 0 ? relevant : errors
}

function isWithin(error: OutputUnit, union: OutputUnit): boolean {
  // The validator reports no location for a `false`, only that of the value.
  if (error.keyword === 'false') return error.instanceLocation.startsWith(`${union.instanceLocation}/`)
  return error.keywordLocation.startsWith(`${union.keywordLocation}/`)
}

function getValidators(schema: JsonSchema): { all: Validator; first: Validator } {
  let cached = validators.get(schema)
  if (cached === undefined) {
    // A copy, because the validator writes into the schema, and a schema may be frozen.
    const copy = (): Schema => JSON.parse(JSON.stringify(schema)) as Schema
    cached = { all: new Validator(copy(), '2020-12', false), first: new Validator(copy(), '2020-12') }
    validators.set(schema, cached)
  }
  return cached
}

function hasMoreValues(input: unknown, most: number): boolean {
  const open: unknown[] = [input]
  let count = 0
  while (open.length > 0) {
    const value = open.pop()
    if (++count > most) return true
    if (typeof value !== 'object' || value === null) continue
    const inner: unknown[] = Object.values(value)
    if (count + open.length + inner.length > most) return true
    open.push(...inner)
  }
  return false
}

/** Keywords whose errors only say that there is an error further in. */
const CONTAINERS: ReadonlySet<string> = new Set(
  '$ref $recursiveRef properties patternProperties additionalProperties unevaluatedProperties propertyNames items prefixItems additionalItems unevaluatedItems allOf if dependentSchemas'.split(
    ' ',
  ),
)

const UNIONS: ReadonlySet<string> = new Set(['anyOf', 'oneOf'])

function describeErrors(errors: readonly OutputUnit[], schema: JsonSchema, input: unknown): string {
  const problems = errors.slice(0, MAX_PROBLEMS).map(error => describeError(error, schema, input))
  const more = errors.length - problems.length
  const list = [...new Set(problems)].join('; ')
  return more > 0 ? `${list}; and ${more} more ${more === 1 ? 'problem' : 'problems'}.` : `${list}.`
}

function describeError(error: OutputUnit, schema: JsonSchema, input: unknown): string {
  const path = readPointer(error.instanceLocation)
  const name = formatPath(path)
  const node = nodeAt(schema, readPointer(error.keywordLocation).slice(0, -1))
  const limit = node?.[error.keyword]
  const got = `not ${shorten(valueAt(input, path))}`
  switch (error.keyword) {
    case 'required': {
      const missing = error.error.slice(error.error.indexOf('"') + 1, -2)
      const property = ownField(node?.properties, missing)
      const expected = isObject(property) ? `; it must be ${describeExpected(property, schema)}` : ''
      return `${formatPath([...path, missing])} is missing${expected}`
    }
    case 'false': {
      const parent = findSchema(schema, path.slice(0, -1))
      const names = Object.keys(parent?.properties ?? {})
      const expected = names.length === 0 ? 'there are no parameters' : `known are ${names.map(quoted).join(', ')}`
      return `${name} is not a parameter; ${expected}`
    }
    case 'type':
    case 'enum':
    case 'const':
    case 'anyOf':
    case 'oneOf':
      return `${name} must be ${describeExpected(node, schema)}, ${got}`
    default: {
      const words = LIMITS.get(error.keyword)
      if (words !== undefined && limit !== undefined)
        return `${name} ${words.replace('…', () => shorten(limit))}, ${got}`
      return `${name} is not accepted: ${oneLine(error.error).replace(/\.$/, '')}`
    }
  }
}

/** What a keyword requires, with `…` in place of its value. */
const LIMITS: ReadonlyMap<string, string> = new Map([
  ['minimum', 'must be at least …'],
  ['maximum', 'must be at most …'],
  ['exclusiveMinimum', 'must be more than …'],
  ['exclusiveMaximum', 'must be less than …'],
  ['multipleOf', 'must be a multiple of …'],
  ['minLength', 'must have at least … characters'],
  ['maxLength', 'must have at most … characters'],
  ['minItems', 'must have at least … items'],
  ['maxItems', 'must have at most … items'],
  ['pattern', 'must match the pattern …'],
  ['format', 'must have the format …'],
])

/** What a schema requires, in the words that describe the tool to the model; long ones are shortened. */
function describeExpected(node: JsonSchema | undefined, root: JsonSchema): string {
  if (node === undefined) return UNKNOWN
  const wholeSchema: JsonSchema =
    node.enum === undefined ? node : { ...node, enum: node.enum.slice(0, CHOICES_SHOWN).map(shortenChoice) }
  const words = describeSchema({ node: wholeSchema, root })
  return words === 'any value' || words === 'nothing' ? UNKNOWN : words
}

/** For schemas that can't be put into words. */
const UNKNOWN = 'what the schema says'
const CHOICES_SHOWN = 20

function shortenChoice(value: unknown): unknown {
  return typeof value === 'string' && value.length > 60 ? `${value.slice(0, 60)}…` : value
}

/** Parses a pointer like `#/a~1b/0` into names as written in the input. */
function readPointer(pointer: string): string[] {
  const names = pointer.split('/').slice(1)
  return names.map(name => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** `a[0].b` in backticks. */
function formatPath(path: readonly string[]): string {
  if (path.length === 0) return 'The input'
  return quoted(path.map((name, index) => (/^\d+$/.test(name) ? `[${name}]` : index > 0 ? `.${name}` : name)).join(''))
}

function valueAt(input: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => ownField(value, name), input)
}

/** The schema at a location within a schema; follows references within the same schema. */
function nodeAt(schema: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  let node: unknown = schema
  for (const name of path) {
    const value = ownField(node, name)
    const inside = name === '$ref' && typeof value === 'string' && value.startsWith('#')
    node = inside ? valueAt(schema, readPointer(value)) : value
  }
  return isObject(node) ? node : undefined
}

/** The schema for a value of the input, as far as properties and items lead to it. */
function findSchema(schema: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  const node = path.reduce<unknown>(
    (at, name) => ownField(ownField(at, 'properties'), name) ?? ownField(at, 'items'),
    schema,
  )
  return isObject(node) ? node : undefined
}

function ownField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function isObject(value: unknown): value is JsonSchema {
  return isRecord(value)
}

function shorten(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(firstCharacters(value, 61)) : String(value)
  return quoted(text.length > 60 ? `${firstCharacters(text, 60)}…` : text)
}

function oneLine(text: string): string {
  return firstCharacters(text.replace(/\s+/g, ' '), 300)
}
