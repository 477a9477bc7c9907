import type { JsonSchema, ToolDefinition } from '../../message/tool-definition.ts'
import type { CallToWrite } from '../../message/tool-invocation.ts'
import { isRecord } from '../../source/is-record.ts'
import { readTool } from '../tool-list.ts'
import { isName } from '../tool-names.ts'
import { fits, getBranches, getItems, getTupleItem, getTypes, type RootedSchema, resolve } from '../value/schema.ts'

/**
 * A call that shows how to use a tool: required parameters first, with values from the schema's examples if it has any.
 */
export function exampleCall(definition: ToolDefinition): CallToWrite {
  const tool = readTool(definition)
  const input = Object.create(null) as Record<string, unknown>
  for (const { name, schema } of getParameters(tool)) if (isName(name)) input[name] = exampleValue(name, schema)
  return { toolCallId: 'example', toolName: tool.name, input }
}

/** A tool's parameters in the order of its schema, required ones first. */
export function getParameters(tool: ToolDefinition): { name: string; schema: RootedSchema; required: boolean }[] {
  const root = tool.inputSchema
  const { node } = resolve({ node: root, root })
  if (typeof node === 'boolean') return []
  const required = new Set(Array.isArray(node.required) ? node.required : [])
  return Object.entries(node.properties ?? {})
    .map(([name, property]) => ({ name, schema: { node: property, root }, required: required.has(name) }))
    .sort((a, b) => Number(b.required) - Number(a.required))
}

const multiLineNames = /^(body|code|contents?|diff|file_?text|markdown|patch|script|source|text)$/i

function exampleValue(name: string, schema: RootedSchema, depth = 0): unknown {
  const { node, root } = resolve(schema)
  if (typeof node === 'boolean') return name
  const example = getSchemaExample(node)
  if (example !== undefined && fits(example.value, { node, root })) return example.value
  if (depth > 4) return null
  const value = simpleExample(name, { node, root }, depth)
  const parts = getBranches({ node, root }, 'allOf').map(part => exampleValue(name, part, depth + 1))
  if (parts.length === 0 || fits(value, { node, root })) return value
  const merged = Object.assign(Object.create(null), ...[value, ...parts].filter(isRecord)) as unknown
  return [merged, ...parts].find(each => fits(each, { node, root })) ?? value
}

/** A value for the schema without its `allOf`. */
function simpleExample(name: string, { node, root }: { node: JsonSchema; root: JsonSchema }, depth: number): unknown {
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const [branch] = getBranches({ node, root }, keyword)
    if (branch !== undefined) return exampleValue(name, branch, depth + 1)
  }
  const types = getTypes({ node, root })
  if (types.has('string')) return isMultiLine(name, node) ? 'the first line\nthe second line' : `some ${name}`
  if (types.has('array')) {
    const tuple: unknown[] = []
    for (let item = getTupleItem({ node, root }, 0); item !== undefined; ) {
      tuple.push(exampleValue(name, item, depth + 1))
      item = getTupleItem({ node, root }, tuple.length)
    }
    if (tuple.length > 0) return tuple
    const items = getItems({ node, root })
    if (items === undefined) return ['one', 'two']
    const item = exampleValue(name, items, depth + 1)
    return typeof item === 'string' && fits(`${item} 2`, items) ? [`${item} 1`, `${item} 2`] : [item, item]
  }
  if (types.has('object')) {
    const value = Object.create(null) as Record<string, unknown>
    const required = new Set(Array.isArray(node.required) ? node.required : [])
    for (const [key, property] of Object.entries(node.properties ?? {})) {
      if (required.has(key)) value[key] = exampleValue(key, { node: property, root }, depth + 1)
    }
    return value
  }
  if (types.has('integer')) return typeof node.minimum === 'number' ? Math.ceil(node.minimum) : 1
  return types.has('boolean') ? true : null
}

function getSchemaExample(node: JsonSchema): { value: unknown } | undefined {
  if (Array.isArray(node.examples) && node.examples.length > 0) return { value: node.examples[0] }
  if (Object.hasOwn(node, 'const')) return { value: node.const }
  if (Object.hasOwn(node, 'default')) return { value: node.default }
  return Array.isArray(node.enum) && node.enum.length > 0 ? { value: node.enum[0] } : undefined
}

function isMultiLine(name: string, node: JsonSchema): boolean {
  return multiLineNames.test(name) || /multi-?line/i.test(node.description ?? '')
}
