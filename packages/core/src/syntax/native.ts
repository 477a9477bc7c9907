import type { ToolDefinition } from '../message/tool-definition.ts'
import type { CallToWrite, ToolResult } from '../message/tool-invocation.ts'
import { type Grammar, Reader } from './reader/reader.ts'
import type { ParserOptions, Syntax } from './syntax.ts'
import { formatOutput, getStatus } from './teach/quote-result.ts'
import { toolList } from './tool-list.ts'
import { checkCall } from './value/check-call.ts'
import { writeJson } from './value/write-value.ts'

/**
 * The provider's own tool calls: they arrive as tool chunks next to the text, so the text contains none.
 *
 *     {"id":"call_1","name":"read_file","arguments":{"path":"src/lib.rs"}}
 *
 * The parser passes text on. On request, it turns reasoning in the text into parts.
 */
export const native: Syntax = { name: 'native', kind: 'native', limit: 'none', parser, format, formatResult, describe }

const grammar: Grammar = {
  opening: { marks: '', where: 'line' },
  states: reader => ({
    opener: () => reader.notCall(),
    unclosed: () => ({ code: 'SYNTAX_UNCLOSED_CALL', message: 'The text ends within a call.' }),
  }),
  repair: () => 'Use the tool calls of the provider.',
}

function parser(options?: ParserOptions): Reader {
  return new Reader(grammar, options)
}

function format(call: CallToWrite): string {
  const { toolCallId: id, toolName: name, input } = checkCall(call)
  return JSON.stringify({ id, name, arguments: JSON.parse(writeJson(input ?? {})) as unknown })
}

function formatResult(result: ToolResult): string {
  const { toolCallId: id, toolName: name } = checkCall(result, 'result')
  return JSON.stringify({ id, name, status: getStatus(result), result: formatOutput(result) })
}

/** The tools in the form most providers accept. An empty list gives an empty text. */
function describe(tools: readonly ToolDefinition[]): string {
  const list = toolList(tools)
  if (list.length === 0) return ''
  const definitions = list.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, ...(description === undefined ? {} : { description }), parameters: inputSchema },
  }))
  return JSON.stringify(definitions, null, 2)
}
