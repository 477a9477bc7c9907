import type { JsonSchema, ToolDefinition } from '@argot/core'
import { isRecord } from '@argot/core/stream/internal'

/** The longest list of tools, in characters and in number. */
const LONGEST = 256 * 1024
const MOST = 200

export type ParsedTools = { tools: ToolDefinition[]; problem?: undefined } | { tools?: undefined; problem: string }

/**
 * Tools as JSON: Argot's own shape, or that of OpenAI (`function.parameters`), Anthropic (`input_schema`) or MCP
 * (`inputSchema`). An empty text means no tools.
 */
export function parseTools(json: string): ParsedTools {
  if (json.trim() === '') return { tools: [] }
  if (json.length > LONGEST) return { problem: `The tools are too long. Use at most ${LONGEST / 1024} KB of JSON.` }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    return { problem: `This is not valid JSON: ${describeParseError(error)}.` }
  }
  return checkTools(value)
}

/** The browser's message, without the text that it repeats. */
function describeParseError(error: unknown): string {
  const message = error instanceof Error ? error.message : 'it cannot be read'
  return message.replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '')
}

function checkTools(value: unknown): ParsedTools {
  const list = Array.isArray(value) ? value : isRecord(value) && Array.isArray(value.tools) ? value.tools : undefined
  if (list === undefined) return { problem: 'Write a JSON array of tools: [{ "name": …, "inputSchema": … }].' }
  if (list.length > MOST) return { problem: `These are ${list.length} tools. Use at most ${MOST}.` }
  const tools: ToolDefinition[] = []
  for (const [index, each] of list.entries()) {
    const tool = toTool(each)
    if (tool === undefined) return { problem: `Tool ${index + 1} has no name. Give each tool a "name".` }
    tools.push(tool)
  }
  return { tools }
}

function toTool(value: unknown): ToolDefinition | undefined {
  if (!isRecord(value)) return undefined
  const inner = isRecord(value.function) ? value.function : value
  const { name, description, inputSchema, input_schema, parameters } = inner
  if (typeof name !== 'string') return undefined
  const schema = [inputSchema, input_schema, parameters].find(isRecord) ?? { type: 'object' }
  return { name, ...(typeof description === 'string' ? { description } : {}), inputSchema: schema as JsonSchema }
}
