import type { JsonSchema, ToolDefinition } from '@argot/core'
import { isRecord } from '@argot/core/stream/internal'
import { UsageError } from '../io/io.ts'
import { readJsonFile } from './read-json-file.ts'

/**
 * Reads tools from a JSON file: a list, or an object with `tools`. Definitions can have the format of Argot, the AI
 * SDK, Anthropic (`input_schema`), MCP or OpenAI (`function: { name, parameters }`).
 */
export async function readTools(path: string): Promise<ToolDefinition[]> {
  const value = await readJsonFile(path)
  const list = Array.isArray(value) ? value : isRecord(value) && Array.isArray(value.tools) ? value.tools : undefined
  if (list === undefined)
    throw new UsageError(`${path} must contain a list of tools, or an object with a \`tools\` list.`)
  return list.map((entry, index) => toDefinition(entry, `Tool ${index + 1} of ${path}`))
}

function toDefinition(entry: unknown, where: string): ToolDefinition {
  const tool = isRecord(entry) && isRecord(entry.function) ? entry.function : entry
  if (!isRecord(tool) || typeof tool.name !== 'string' || tool.name === '')
    throw new UsageError(`${where} has no \`name\`.`)
  const schema = tool.inputSchema ?? tool.input_schema ?? tool.parameters
  if (!isRecord(schema)) throw new UsageError(`${where} (\`${tool.name}\`) has no \`inputSchema\`.`)
  const definition: ToolDefinition = { name: tool.name, inputSchema: schema as JsonSchema }
  if (typeof tool.title === 'string') definition.title = tool.title
  if (typeof tool.description === 'string') definition.description = tool.description
  const { effect } = tool
  if (effect === 'read' || effect === 'write' || effect === 'exec' || effect === 'net') definition.effect = effect
  return definition
}
