import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { ToolCall, ToolResult } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import { describeTools } from '../describe-tools.ts'
import { exampleCall } from '../example-call.ts'
import { isName } from '../names.ts'
import { quoteResult } from '../quote-result.ts'
import { type Grammar, Reader } from '../reader.ts'
import type { ParserOptions, Syntax } from '../syntax.ts'
import { writeParameters } from '../write-value.ts'
import { fillMarker, firstCharacters } from './marker.ts'
import type { TaggedDialect } from './tables.ts'
import { markClosing, taggedStates } from './tagged-states.ts'

/** The syntax that a table describes. */
export function taggedDialect(dialect: TaggedDialect): Syntax {
  const { name, lesson, wrapper } = dialect
  const grammar: Grammar = {
    opening: {
      marks: firstCharacters([dialect.call.open, ...(wrapper === undefined ? [] : [wrapper.open])]),
      where: 'anywhere',
      ...(dialect.liveFences === undefined ? {} : { liveFences: dialect.liveFences }),
    },
    states: taggedStates(dialect),
    repair,
  }

  function format(call: ToolCall, tool?: ToolDefinition): string {
    const lines = writeParameters(call, tool, 'json').flatMap(({ key, written }) =>
      ('text' in written ? [written.text] : written.items).map(text => formatParameter(key, text)),
    )
    lines.unshift(fillMarker(dialect.call.open, { name: call.toolName, id: call.toolCallId }).trimEnd())
    lines.push(dialect.call.close)
    return (wrapper === undefined ? lines : [wrapper.open, ...lines, wrapper.close]).join('\n')
  }

  function formatParameter(key: string, text: string): string {
    let mark = ''
    for (let n = 1; text.includes(markClosing(dialect.parameter.close, mark)); n++) mark = `#${n}`
    const layout = dialect.inline && !/[\r\n]/.test(text) ? '' : '\n'
    const open = fillMarker(dialect.parameter.open, { name: key + mark })
    return `${open}${layout}${text}${layout}${markClosing(dialect.parameter.close, mark)}`
  }

  function formatResult(result: ToolResult): string {
    return quoteResult(result, label => {
      const fill = (text: string) =>
        text.replaceAll(/\{(name|id|status)\}/g, (_, place: 'name' | 'id' | 'status') => label[place])
      return [fill(dialect.result[0]), fill(dialect.result[1])]
    })
  }

  function describe(tools: readonly ToolDefinition[]): string {
    return describeTools(lesson, tools, format)
  }

  function repair(toolName: string, tool: ToolDefinition | undefined): string {
    const shown = toolName === 'unknown' || !isName(toolName) ? 'NAME' : toolName
    const example = { toolCallId: 'id', toolName: shown, input: { PARAMETER: 'value' } }
    return `Write the call like this:\n${format(tool === undefined ? example : exampleCall(tool), tool)}`
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
