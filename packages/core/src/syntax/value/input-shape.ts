import type { JsonSchema, ToolDefinition } from '../../message/tool-definition.ts'
import { getItems, getTupleItem, getTypes, type JsonType, type RootedSchema, resolve } from './schema.ts'

/**
 * When a parameter's value is certain enough to send. `stream`: it is a string, and every character is sent as it
 * arrives. `whole`: it is sent when the parameter ends. `late`: it may be an array that later parameters add to, so it
 * is sent when the call ends.
 */
export type Arrival = 'stream' | 'whole' | 'late'

export interface ValueShape {
  schema: RootedSchema
  types: ReadonlySet<JsonType>
  arrival: Arrival
  items?: ValueShape
  /** The first items of the list have their own shapes. */
  isTuple?: boolean
}

export interface InputShape {
  properties: ReadonlyMap<string, ValueShape>
  required: readonly string[]
  /** `path` → `paths`: the singular of an array's name, unless that is a parameter too. */
  singulars: ReadonlyMap<string, string>
  /** For parameters that aren't listed, if the schema describes them. */
  others?: ValueShape
}

const shapeCache = new WeakMap<object, InputShape>()

/** Created once per tool. */
export function inputShape(tool: Pick<ToolDefinition, 'inputSchema'>): InputShape {
  const cached = shapeCache.get(tool)
  if (cached !== undefined) return cached
  const shape = createShape(tool.inputSchema)
  shapeCache.set(tool, shape)
  return shape
}

function createShape(root: JsonSchema): InputShape {
  const { node } = resolve({ node: root, root })
  if (typeof node === 'boolean') return { properties: new Map(), required: [], singulars: new Map() }
  const properties = new Map<string, ValueShape>()
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    properties.set(name, valueShape({ node: property, root }))
  }
  const singulars = new Map<string, string>()
  for (const [name, { types }] of properties) {
    if (!types.has('array') || types.size > 2) continue
    for (const singular of toSingulars(name)) {
      if (!properties.has(singular) && !singulars.has(singular)) singulars.set(singular, name)
    }
  }
  const required = Array.isArray(node.required) ? node.required.filter(name => typeof name === 'string') : []
  const { additionalProperties: others } = node
  return {
    properties,
    required,
    singulars,
    ...(typeof others === 'object' && others !== null ? { others: valueShape({ node: others, root }) } : {}),
  }
}

export function valueShape(schema: RootedSchema, depth = 0): ValueShape {
  const types = getTypes(schema)
  const { node } = resolve(schema)
  if (types.has('array')) {
    const items = depth < 4 ? getItems(schema) : undefined
    const isTuple = getTupleItem(schema, 0) !== undefined
    const shape: ValueShape = { schema, types, arrival: 'late', isTuple }
    return items === undefined ? shape : { ...shape, items: valueShape(items, depth + 1) }
  }
  const limited = typeof node === 'object' && (Array.isArray(node.enum) || Object.hasOwn(node, 'const'))
  return { schema, types, arrival: types.size === 1 && types.has('string') && !limited ? 'stream' : 'whole' }
}

/** The shape of a list's item; undefined if anything fits there, or nothing. */
export function itemShape({ schema, items, isTuple }: ValueShape, index: number): ValueShape | undefined {
  const own = isTuple === true ? getTupleItem(schema, index) : undefined
  const shape = own === undefined ? items : valueShape(own)
  return shape?.types.size === 0 ? undefined : shape
}

/** Possible singulars of `name`: `paths` → `path`, `queries` → `query`, `boxes` → `box`. */
function toSingulars(name: string): string[] {
  const singulars: string[] = []
  if (/.s$/.test(name)) singulars.push(name.slice(0, -1))
  if (/.ies$/.test(name)) singulars.push(`${name.slice(0, -3)}y`)
  if (/.(s|x|z|ch|sh)es$/.test(name)) singulars.push(name.slice(0, -2))
  return singulars
}

/** The problem with a parameter's name: it is empty, or has spaces around it and matches another one. */
export function findKeyProblem(key: string, shape: InputShape | undefined): string | undefined {
  const plain = key.trim()
  if (shape === undefined || shape.properties.size === 0 || shape.properties.has(key)) return undefined
  if (key === '') return 'A parameter needs a name'
  const isOther = plain !== key && shape.properties.has(plain)
  return isOther ? `The parameter ${JSON.stringify(key)} is called \`${plain}\`` : undefined
}
