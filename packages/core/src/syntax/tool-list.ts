import type { JsonSchema, ToolDefinition } from '../message/tool-definition.ts'
import { defined } from '../source/defined.ts'
import { ArgotError } from '../source/error.ts'
import { isRecord } from '../source/is-record.ts'

const effects = ['read', 'write', 'exec', 'net'] as const

/**
 * The tools by name. Besides definitions, it accepts tools in the shapes of the AI SDK and OpenAI if their meaning is
 * clear. A tool without a schema takes any input. Throws `SYNTAX_BAD_TOOL` for anything else.
 */
export function toolMap(tools?: readonly ToolDefinition[]): ReadonlyMap<string, ToolDefinition> {
  const list: readonly unknown[] = toToolList(tools ?? [])
  return new Map(list.map(tool => readTool(tool)).map(tool => [tool.name, tool]))
}

export function toolList(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return [...toolMap(tools).values()]
}

/** The AI SDK keeps tools in an object, by name. */
function toToolList(tools: unknown): unknown[] {
  if (Array.isArray(tools)) return tools
  if (!isRecord(tools)) refuse(tools, 'the tools are neither a list nor an object')
  return Object.entries(tools).map(([name, tool]) => (isRecord(tool) ? { name, ...tool } : tool))
}

/** Throws `SYNTAX_BAD_TOOL` if the tool's meaning isn't clear. */
export function readTool(tool: unknown): ToolDefinition {
  if (!isRecord(tool)) refuse(tool, 'it is not an object')
  const inner = isRecord(tool.function) ? tool.function : tool
  const { name, title, description, effect } = inner
  if (typeof name !== 'string' || name === '') refuse(tool, 'it has no `name`')
  const schema = inner.inputSchema ?? inner.parameters ?? inner.input_schema
  if (inner === tool && schema === inner.inputSchema && isJsonSchema(schema)) return tool as unknown as ToolDefinition
  const inputSchema = readSchema(tool, schema)
  return defined({
    name,
    inputSchema,
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' ? description : undefined,
    effect: effects.find(each => each === effect),
  })
}

function readSchema(tool: unknown, schema: unknown): JsonSchema {
  if (schema === undefined || schema === null || schema === true) return {}
  if (schema === false) return { type: [] }
  if (isRecord(schema) && 'jsonSchema' in schema) return readSchema(tool, schema.jsonSchema)
  if (isJsonSchema(schema)) return schema
  return refuse(tool, 'its schema is not a JSON Schema; convert it first, as with `z.toJSONSchema(schema)`')
}

/** Validation libraries' schemas are objects too. The JSON Schemas they produce may have a hidden `~standard`. */
function isJsonSchema(value: unknown): value is JsonSchema {
  if (!isRecord(value) || '_def' in value || 'jsonSchema' in value) return false
  return !Object.prototype.propertyIsEnumerable.call(value, '~standard')
}

function refuse(tool: unknown, why: string): never {
  const name = isRecord(tool) && typeof tool.name === 'string' ? ` ${JSON.stringify(tool.name)}` : ''
  throw new ArgotError('SYNTAX_BAD_TOOL', `The tool${name} cannot be used: ${why}.`)
}
