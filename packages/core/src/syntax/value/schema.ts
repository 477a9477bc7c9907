import type { JsonSchema } from '../../message/tool-definition.ts'
import { isRecord } from '../../source/is-record.ts'
import { MAX_DEPTH } from '../limits.ts'

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object'

const allTypes: readonly JsonType[] = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object']

const unofficialTypes: Readonly<Record<string, JsonType | 'any'>> = {
  str: 'string',
  text: 'string',
  char: 'string',
  varchar: 'string',
  int: 'integer',
  long: 'integer',
  short: 'integer',
  int32: 'integer',
  int64: 'integer',
  uint: 'integer',
  float: 'number',
  double: 'number',
  decimal: 'number',
  num: 'number',
  bool: 'boolean',
  none: 'null',
  nil: 'null',
  nonetype: 'null',
  list: 'array',
  tuple: 'array',
  set: 'array',
  arr: 'array',
  dict: 'object',
  dictionary: 'object',
  map: 'object',
  record: 'object',
}

const typeCache = new WeakMap<JsonSchema, ReadonlySet<JsonType> | 'none'>()

/** Undefined if the schema names none. */
function getNamedTypes(node: JsonSchema): ReadonlySet<JsonType> | undefined {
  let types = typeCache.get(node)
  if (types === undefined) {
    types = readTypes(node) ?? 'none'
    typeCache.set(node, types)
  }
  return types === 'none' ? undefined : types
}

/** A type with an unknown name allows anything. */
function readTypes({ type }: JsonSchema): ReadonlySet<JsonType> | undefined {
  const names: readonly unknown[] | undefined =
    typeof type === 'string' ? [type] : Array.isArray(type) ? type : undefined
  if (names === undefined) return undefined
  const types = new Set<JsonType>()
  for (const name of names) {
    const plain = String(name)
      .toLowerCase()
      .replace(/[[<(].*/, '')
    const jsonType =
      allTypes.find(each => each === plain) ?? (Object.hasOwn(unofficialTypes, plain) ? unofficialTypes[plain] : 'any')
    if (jsonType === 'any' || jsonType === undefined) return new Set(allTypes)
    types.add(jsonType)
  }
  return types
}

/** A schema together with the document its references point into. */
export interface RootedSchema {
  node: JsonSchema | boolean
  root: JsonSchema
}

/** Follows `$ref`. A reference that leads nowhere, or in a circle, allows anything. */
export function resolve({ node, root }: RootedSchema): RootedSchema {
  for (let hops = 0; hops < 32; hops++) {
    // A server may send something that isn't a schema. It allows anything.
    if (!isSchema(node)) return { node: true, root }
    if (typeof node === 'boolean' || typeof node.$ref !== 'string') return { node, root }
    node = lookUp(node.$ref, root)
  }
  return { node: true, root }
}

/** Only references within the document (`#/$defs/point`) are found. Any other allows anything. */
function lookUp(reference: string, root: JsonSchema): JsonSchema | boolean {
  if (!reference.startsWith('#')) return true
  let place: unknown = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return true
    place = (place as Record<string, unknown>)[key]
  }
  return isSchema(place) ? place : true
}

function isSchema(value: unknown): value is JsonSchema | boolean {
  return typeof value === 'boolean' || isRecord(value)
}

export function getBranches(schema: RootedSchema, keyword: 'anyOf' | 'oneOf' | 'allOf'): RootedSchema[] {
  const list = typeof schema.node === 'boolean' ? undefined : schema.node[keyword]
  return Array.isArray(list) ? list.filter(isSchema).map(node => ({ node, root: schema.root })) : []
}

/** The JSON types a schema allows; all seven if it doesn't say. */
export function getTypes(schema: RootedSchema, depth = 0): Set<JsonType> {
  const { node, root } = resolve(schema)
  if (node === false) return new Set()
  if (node === true || depth > 6) return new Set(allTypes)
  let types = new Set<JsonType>(allTypes)
  const keep = (allowed: Iterable<JsonType>) => {
    const set = new Set(allowed)
    if (set.has('number')) set.add('integer')
    types = new Set([...types].filter(type => set.has(type)))
  }
  const namedTypes = getNamedTypes(node)
  if (namedTypes !== undefined) keep(namedTypes)
  if (node.nullable === true && node.type !== undefined) types.add('null')
  if (Array.isArray(node.enum)) keep(node.enum.map(getType))
  if (Object.hasOwn(node, 'const')) keep([getType(node.const)])
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const list = getBranches({ node, root }, keyword)
    if (list.length > 0) keep(list.flatMap(branch => [...getTypes(branch, depth + 1)]))
  }
  for (const branch of getBranches({ node, root }, 'allOf')) keep(getTypes(branch, depth + 1))
  return types
}

/** The most exact JSON type of a value. */
export function getType(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'string' ? 'string' : 'object'
}

/** A member's schema, if the value may be an object; undefined if the schema doesn't describe that member. */
export function getMember(schema: RootedSchema, name: string): RootedSchema | undefined {
  const declared = findInner(schema, ({ properties }) =>
    isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined,
  )
  return declared ?? findInner(schema, ({ additionalProperties }) => additionalProperties)
}

/** The items' schema, if the value may be an array; undefined if the schema doesn't describe them. */
export function getItems(schema: RootedSchema): RootedSchema | undefined {
  return findInner(schema, getOtherItems)
}

/** Like `getItems`, for one place in a list: the first ones may have their own schemas. */
export function getItem(schema: RootedSchema, index: number): RootedSchema | undefined {
  return getTupleItem(schema, index) ?? getItems(schema)
}

/** The schema that only this place in a list has. */
export function getTupleItem(schema: RootedSchema, index: number): RootedSchema | undefined {
  return findInner(schema, node => getTuple(node)[index])
}

/** The schemas of a list's first items. Before 2020, `items` held them. */
function getTuple({ prefixItems, items }: JsonSchema): readonly unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems
  return Array.isArray(items) ? items : []
}

/** The schema of a list's items after its tuple. */
function getOtherItems({ items, additionalItems }: JsonSchema): unknown {
  return Array.isArray(items) ? additionalItems : items
}

/**
 * The schema inside a schema that `pick` chooses: the node's own, or otherwise all that its branches have, of which any
 * or all apply like the branches. A branch without one, such as `null`, doesn't matter. Linear in the schema.
 */
function findInner(
  schema: RootedSchema,
  pick: (node: JsonSchema) => unknown,
  visited: Set<JsonSchema> = new Set(),
): RootedSchema | undefined {
  const { node, root } = resolve(schema)
  if (typeof node === 'boolean') return undefined
  const own = pick(node)
  if (isSchema(own)) return { node: own, root }
  if (visited.size > MAX_DEPTH || visited.has(node)) return undefined
  const parts: (JsonSchema | boolean)[] = []
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    if (node[keyword] === undefined) continue
    visited.add(node)
    const inner = getBranches({ node, root }, keyword)
      .map(branch => findInner(branch, pick, visited)?.node)
      .filter(one => one !== undefined)
    if (keyword === 'allOf' || inner.length < 2) parts.push(...inner)
    else parts.push({ anyOf: inner })
  }
  const [only] = parts
  return only === undefined ? undefined : { node: parts.length === 1 ? only : { allOf: parts }, root }
}

/**
 * True if a value has the types, constants, members and items that a schema requires. Ranges, lengths and patterns are
 * left to the code that runs the tool.
 */
export function fits(value: unknown, schema: RootedSchema, depth = 0): boolean {
  const { node, root } = resolve(schema)
  if (typeof node === 'boolean') return node
  if (depth > MAX_DEPTH) return true
  const type = getType(value)
  if (type === 'number' && !Number.isFinite(value)) return false
  const types = getNamedTypes(node)
  if (types !== undefined && !(node.nullable === true && value === null)) {
    if (!types.has(type) && !(type === 'integer' && types.has('number'))) return false
  }
  if (Array.isArray(node.enum) && !node.enum.some(allowed => isEqual(allowed, value))) return false
  if (Object.hasOwn(node, 'const') && !isEqual(node.const, value)) return false
  const within = (branch: RootedSchema) => fits(value, branch, depth + 1)
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const list = getBranches({ node, root }, keyword)
    if (list.length > 0 && !list.some(within)) return false
  }
  if (!getBranches({ node, root }, 'allOf').every(within)) return false
  if (Array.isArray(value)) {
    const tuple = getTuple(node)
    const others = getOtherItems(node)
    return value.every((item, index) => {
      const own = index < tuple.length ? tuple[index] : others
      return !isSchema(own) || fits(item, { node: own, root }, depth + 1)
    })
  }
  return type !== 'object' || membersFit(value as Record<string, unknown>, node, root, depth)
}

function membersFit(value: Record<string, unknown>, node: JsonSchema, root: JsonSchema, depth: number): boolean {
  if (Array.isArray(node.required) && !node.required.every(key => Object.hasOwn(value, key))) return false
  const properties = isRecord(node.properties) ? node.properties : {}
  for (const key of Object.keys(value)) {
    const member = Object.hasOwn(properties, key) ? properties[key] : node.additionalProperties
    if (member !== undefined && !fits(value[key], { node: member, root }, depth + 1)) return false
  }
  return true
}

export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      key => Object.hasOwn(b, key) && isEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  )
}

/** What a schema requires, in words: `an integer`, `an array of strings`, `one of "a", "b"`. */
export function describeSchema(schema: RootedSchema, depth = 0): string {
  const { node, root } = resolve(schema)
  if (typeof node !== 'boolean') {
    if (Array.isArray(node.enum)) return `one of ${node.enum.map(value => JSON.stringify(value)).join(', ')}`
    if (Object.hasOwn(node, 'const')) return JSON.stringify(node.const)
    const union =
      node.type === undefined ? getBranches({ node, root }, node.anyOf === undefined ? 'oneOf' : 'anyOf') : []
    if (depth < 6 && union.some(isChoice)) {
      return [...new Set(union.map(branch => describeSchema(branch, depth + 1)))].join(' or ')
    }
  }
  const types = getTypes({ node, root })
  if (types.has('number')) types.delete('integer')
  if (types.size >= 6) return 'any value'
  const words = [...types].map(type => {
    if (type !== 'array') return withArticle[type]
    const items = getItems({ node, root })
    const item = items === undefined ? undefined : [...getTypes(items)]
    if (item?.includes('number')) return 'an array of numbers'
    return item?.length === 1 && item[0] !== undefined ? `an array of ${plural[item[0]]}` : 'an array'
  })
  return words.length === 0 ? 'nothing' : words.join(' or ')
}

/** True if it lists the values themselves, which say more than their types. */
function isChoice(schema: RootedSchema): boolean {
  const { node } = resolve(schema)
  return typeof node !== 'boolean' && (Array.isArray(node.enum) || Object.hasOwn(node, 'const'))
}

const withArticle: Record<JsonType, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
}

const plural: Record<JsonType, string> = {
  string: 'strings',
  integer: 'integers',
  number: 'numbers',
  boolean: 'booleans',
  null: 'nulls',
  array: 'arrays',
  object: 'objects',
}
