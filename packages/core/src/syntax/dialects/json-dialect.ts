import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { ToolCall, ToolResult } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import { describeTools } from '../describe-tools.ts'
import { exampleCall } from '../example-call.ts'
import { isName } from '../names.ts'
import { resultText, statusOf } from '../quote-result.ts'
import { type Grammar, Reader } from '../reader.ts'
import type { ParserOptions, Syntax } from '../syntax.ts'
import { inputJson } from './input-json.ts'
import { jsonStates } from './json-states.ts'
import { firstCharacters, fixedStart } from './marker.ts'
import type { JsonDialect } from './tables.ts'

/** The syntax that a table describes. */
export function jsonDialect(dialect: JsonDialect): Syntax {
  const { name, lesson, wrapper } = dialect
  const markers = [...dialect.open, ...(wrapper === undefined ? [] : [wrapper.open])]
  const grammar: Grammar = {
    opening: {
      marks: firstCharacters(markers.map(marker => marker || '{')),
      where: dialect.where ?? 'anywhere',
      ...(dialect.liveFences === undefined ? {} : { liveFences: dialect.liveFences }),
    },
    states: jsonStates(dialect),
    repair,
  }

  function format(call: ToolCall): string {
    const { toolName, toolCallId } = call
    const input = inputJson(call)
    const [nameKey = 'name'] = dialect.keys.name
    const [argumentsKey = 'arguments'] = dialect.keys.arguments
    const places: Record<string, string> = {
      name: toolName,
      id: toolCallId,
      arguments: input,
      call: `{${JSON.stringify(nameKey)}: ${JSON.stringify(toolName)}, ${JSON.stringify(argumentsKey)}: ${input}}`,
    }
    return dialect.write.replaceAll(/\{(name|id|arguments|call)\}/g, (_, place: string) => places[place] ?? '')
  }

  /** JSON in which nothing begins a call: the first character of each marker is written as an escape. */
  function formatResult(result: ToolResult): string {
    const { toolCallId, toolName } = result
    const content = result.state === 'output-available' ? (result.output ?? '') : resultText(result)
    const fields = { name: toolName, [dialect.result.id]: toolCallId, status: statusOf(result), content }
    let json = JSON.stringify(fields)
    for (const start of markers.map(fixedStart)) {
      const escaped = `\\u${start.charCodeAt(0).toString(16).padStart(4, '0')}${start.slice(1)}`
      if (start !== '') json = json.replaceAll(start, () => escaped)
    }
    return dialect.result.write.replace('{result}', () => json)
  }

  function describe(tools: readonly ToolDefinition[]): string {
    return describeTools(lesson, tools, format)
  }

  function repair(toolName: string, tool: ToolDefinition | undefined): string {
    const shown = toolName === 'unknown' || !isName(toolName) ? 'NAME' : toolName
    const example = { toolCallId: 'id', toolName: shown, input: { PARAMETER: 'value' } }
    return `Write the call like this:\n${format(tool === undefined ? example : exampleCall(tool))}`
  }

  return {
    name,
    kind: 'text',
    limit: 'none',
    ...defined({ stop: dialect.stop }),
    parser: (options?: ParserOptions) => new Reader(grammar, options),
    format,
    formatResult,
    describe,
  }
}
