import type { ToolDefinition } from '../message/tool-definition.ts'
import type { ToolCall, ToolResult } from '../message/tool-invocation.ts'
import { resultText, statusOf } from './quote-result.ts'
import { type Grammar, Reader } from './reader.ts'
import type { ParserOptions, Syntax } from './syntax.ts'

/**
 * The provider's own tool calls: they arrive as tool chunks beside the text, so the text has none.
 *
 *     {"id":"call_1","name":"read_file","arguments":{"path":"src/lib.rs"}}
 *
 * The parser passes text on and, where it is asked to, makes parts of the reasoning in it.
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

function format(call: ToolCall): string {
  return JSON.stringify({ id: call.toolCallId, name: call.toolName, arguments: call.input ?? {} })
}

function formatResult(result: ToolResult): string {
  const { toolCallId: id, toolName: name } = result
  return JSON.stringify({ id, name, status: statusOf(result), result: resultText(result) })
}

/** The tools as most providers take them; an empty list says nothing. */
function describe(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return ''
  const definitions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, ...(description === undefined ? {} : { description }), parameters: inputSchema },
  }))
  return JSON.stringify(definitions, null, 2)
}
