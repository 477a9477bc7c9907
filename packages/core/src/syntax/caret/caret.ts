import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { CallToWrite, ToolResult } from '../../message/tool-invocation.ts'
import { type Grammar, Reader } from '../reader/reader.ts'
import type { ParserOptions, Syntax } from '../syntax.ts'
import { describeTools } from '../teach/describe-tools.ts'
import { exampleCall } from '../teach/example-call.ts'
import { quoteResult } from '../teach/quote-result.ts'
import { writeParameters } from '../value/write-value.ts'
import { caretStates } from './caret-states.ts'

/**
 * Triple-caret blocks: a call is a fenced block, one parameter to a line.
 *
 *     ^^^write_file
 *     path: src/lib.rs
 *     tags: [
 *     draft
 *     rust
 *     ]
 *     content ---
 *     fn main() {}
 *     --- content
 *     ^^^
 *
 * Cheap in tokens and free of indentation, so a model can't get it wrong by a space. A value with a line that looks
 * like its end marker is written between longer ones: `content ----` … `---- content`.
 */
export const caret: Syntax = {
  name: 'caret',
  kind: 'text',
  limit: 'one',
  stop: ['\n^^^ result of '],
  parser,
  format,
  formatResult,
  describe,
}

const lesson = `# How to call a tool

Write a call as a block that starts with \`^^^\` and the tool's name at the start of a line and ends with a line \`^^^\`,
outside of code fences. The parameters go between them:

^^^NAME
parameter: a value on one line
parameter ---
a value of
several lines
--- parameter
parameter: [
first item
second item
]
^^^

A list has one item to a line, without commas. Objects are written as JSON. If a value has a line that looks like its
end marker, use more dashes for both: \`parameter ----\` and \`---- parameter\`.`

export const caretGrammar: Grammar = { opening: { marks: '^', where: 'line' }, states: caretStates, repair }

function parser(options?: ParserOptions): Reader {
  return new Reader(caretGrammar, options)
}

function format(call: CallToWrite, tool?: ToolDefinition): string {
  const parameters = writeParameters(call, tool, 'marked')
  // After an empty value, a line `- …` is a list item. A block of the parameter `-` begins the same way.
  const dash = parameters.some(({ key }) => key === '-')
  const lines = [`^^^${call.toolName}`]
  for (const { key, written: source } of parameters) {
    if ('text' in source) lines.push(formatText(key, source.text, dash))
    else if (source.items.every(isItem)) lines.push([`${key}: [`, ...source.items, ']'].join('\n'))
    else if (source.items.length > 1) lines.push(source.items.map(item => formatText(key, item, true)).join('\n'))
    else lines.push(`${key}: ${JSON.stringify(source.items)}`)
  }
  return [...lines, '^^^'].join('\n')
}

/** Writes the value on its name's line if it fits there, otherwise between end markers that it doesn't contain. */
function formatText(key: string, text: string, asBlock: boolean): string {
  if (isLine(text) && text !== '[' && !(text === '' && asBlock)) return text === '' ? `${key}:` : `${key}: ${text}`
  const marker = new RegExp(`^(-{3,})[ \\t]+${key.replaceAll('.', '\\.')}[ \\t\\r]*$`, 'gm')
  const lengths = new Set([...text.matchAll(marker)].map(([, dashes = '']) => dashes.length))
  let length = 3
  while (lengths.has(length)) length++
  const dashes = '-'.repeat(length)
  return `${key} ${dashes}\n${text}\n${dashes} ${key}`
}

/** True for a single line without surrounding spaces. */
function isLine(text: string): boolean {
  return !/[\r\n]|^[ \t]|[ \t]$/.test(text)
}

function isItem(text: string): boolean {
  return text !== '' && text !== ']' && !text.startsWith('^^^') && isLine(text)
}

function formatResult(result: ToolResult): string {
  return quoteResult(result, ({ name, id, status }) => [`^^^ result of ${name} ${id}: ${status}`, '^^^ end of result'])
}

function describe(tools: readonly ToolDefinition[]): string {
  return describeTools(lesson, tools, format)
}

function repair(name: string, tool: ToolDefinition | undefined): string {
  const call =
    tool === undefined ? { toolCallId: '', toolName: name, input: { parameter: 'value' } } : exampleCall(tool)
  return `Write the call like this:\n${format(call, tool)}`
}
