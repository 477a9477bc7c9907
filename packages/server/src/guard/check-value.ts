import type { JsonSchema } from '@argot/core'
import { isRecord } from '@argot/core/stream/internal'

export interface ValueProblem {
  /** `#/messages/3` */
  at: string
  message: string
}

type ValueCheck = (value: unknown, at: string) => ValueProblem | undefined

/**
 * Compiles a route's schema. The check stops at the first problem, and checks the number of items and properties before
 * their content, so a bad body costs no more than its valid part. Throws on an unknown keyword, so that no route relies
 * on one.
 */
export function compileSchema(schema: JsonSchema | boolean): ValueCheck {
  if (schema === true) return () => undefined
  if (schema === false) return (_, at) => ({ at, message: 'This property is unknown.' })
  const checks: ValueCheck[] = []
  // Cheap checks come first.
  for (const keyword of order) {
    const value = (schema as Record<string, unknown>)[keyword]
    if (value !== undefined) checks.push(keywords[keyword]!(value as never, schema))
  }
  const unknown = Object.keys(schema).find(keyword => !order.includes(keyword))
  if (unknown !== undefined) throw new Error(`The server can't check the schema keyword \`${unknown}\`.`)
  return (value, at) => firstProblem(checks, value, at)
}

function firstProblem(checks: readonly ValueCheck[], value: unknown, at: string): ValueProblem | undefined {
  for (const check of checks) {
    const problem = check(value, at)
    if (problem !== undefined) return problem
  }
  return undefined
}

const keywords: Readonly<Record<string, (value: never, schema: JsonSchema) => ValueCheck>> = {
  type: (type: string) => rule(value => isOfType(value, type), `It must be of type ${type}.`),
  enum: (values: readonly unknown[]) =>
    rule(value => values.includes(value), `It must be one of ${values.join(', ')}.`),
  minimum: (least: number) => rule(value => !(isNumber(value) && value < least), `It must be at least ${least}.`),
  maximum: (most: number) => rule(value => !(isNumber(value) && value > most), `It must be at most ${most}.`),
  minLength: (least: number) => rule(value => !isText(value) || value.length >= least, `It is shorter than ${least}.`),
  maxLength: (most: number) => rule(value => !isText(value) || !isLonger(value, most), `It is longer than ${most}.`),
  minItems: (least: number) =>
    rule(value => !Array.isArray(value) || value.length >= least, `It has fewer than ${least} items.`),
  maxItems: (most: number) =>
    rule(value => !Array.isArray(value) || value.length <= most, `It has more than ${most} items.`),
  maxProperties: (most: number) =>
    rule(value => !isRecord(value) || Object.keys(value).length <= most, `It has more than ${most} properties.`),
  required: (names: readonly string[]) => (value, at) => {
    const missing = isRecord(value) ? names.find(name => !Object.hasOwn(value, name)) : undefined
    return missing === undefined ? undefined : { at, message: `\`${missing}\` is missing.` }
  },
  properties: (properties: Readonly<Record<string, JsonSchema>>) => {
    const checks = Object.entries(properties).map(([name, schema]) => [name, compileSchema(schema)] as const)
    return (value, at) => {
      if (!isRecord(value)) return undefined
      for (const [name, check] of checks) {
        const problem = Object.hasOwn(value, name) ? check(value[name], `${at}/${name}`) : undefined
        if (problem !== undefined) return problem
      }
      return undefined
    }
  },
  additionalProperties: (others: JsonSchema | boolean, { properties = {} }) => {
    const check = compileSchema(others)
    return (value, at) => {
      if (!isRecord(value)) return undefined
      for (const name of Object.keys(value)) {
        const problem = Object.hasOwn(properties, name) ? undefined : check(value[name], `${at}/${name.slice(0, 100)}`)
        if (problem !== undefined) return problem
      }
      return undefined
    }
  },
  items: (items: JsonSchema) => {
    const check = compileSchema(items)
    return (value, at) => {
      if (!Array.isArray(value)) return undefined
      for (const [index, item] of value.entries()) {
        const problem = check(item, `${at}/${index}`)
        if (problem !== undefined) return problem
      }
      return undefined
    }
  },
  anyOf: (schemas: readonly JsonSchema[]) => {
    const checks = schemas.map(compileSchema)
    return (value, at) => {
      let last: ValueProblem | undefined
      for (const check of checks) {
        last = check(value, at)
        if (last === undefined) return undefined
      }
      return last
    }
  },
  oneOf: (schemas: readonly JsonSchema[]) => {
    const checks = schemas.map(compileSchema)
    return rule(
      value => checks.filter(check => check(value, '') === undefined).length === 1,
      'It must match exactly one of the alternatives.',
    )
  },
}

const order: readonly string[] = Object.keys(keywords)

function rule(fits: (value: unknown) => boolean, message: string): ValueCheck {
  return (value, at) => (fits(value) ? undefined : { at, message })
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isRecord(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Counts characters only if the string's length doesn't decide. */
function isLonger(text: string, most: number): boolean {
  if (text.length <= most) return false
  return text.length > most * 2 || Array.from(text).length > most
}
