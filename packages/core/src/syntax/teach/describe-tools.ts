import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { CallToWrite } from '../../message/tool-invocation.ts'
import { ArgotError } from '../../source/error.ts'
import { toolList } from '../tool-list.ts'
import { describeSchema, resolve } from '../value/schema.ts'
import { exampleCall, getParameters } from './example-call.ts'

/**
 * The text that teaches tools in one syntax: the lesson (how calls are written), then each tool with its parameters and
 * an example. Without tools, it is only the lesson.
 */
export function describeTools(
  lesson: string,
  tools: readonly ToolDefinition[],
  format: (call: CallToWrite, tool: ToolDefinition) => string,
): string {
  if (typeof lesson !== 'string') throw new ArgotError('SYNTAX_BAD_TEXT', "A syntax's lesson must be a string.")
  return [lesson.trim(), ...toolList(tools).map(tool => describeTool(tool, format))].join('\n\n')
}

function describeTool(tool: ToolDefinition, format: (call: CallToWrite, tool: ToolDefinition) => string): string {
  const lines = [`## ${tool.name}`]
  if (tool.description !== undefined && tool.description !== '') lines.push('', tool.description.trim())
  const parameters = getParameters(tool)
  if (parameters.length > 0) lines.push('', 'Parameters:')
  for (const { name, schema, required } of parameters) {
    const { node } = resolve(schema)
    const description: unknown = typeof node === 'boolean' ? undefined : node.description
    const about = typeof description === 'string' ? description.trim() : ''
    const detail = about === '' ? '' : `: ${about}`
    lines.push(`- ${name} (${describeSchema(schema)}${required ? ', required' : ''})${detail}`)
  }
  lines.push('', 'Usage:', format(exampleCall(tool), tool))
  return lines.join('\n')
}
