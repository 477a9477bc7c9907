import type { ToolDefinition } from '@argot/core'
import { estimateTokens } from '@argot/core/stream/internal'
import { exampleCall, type Syntax, syntaxes } from '@argot/core/syntax'

export interface SyntaxCost {
  syntax: string
  /**
   * What a call adds to its values: markers, names, quotes. The mean over one call per tool that the syntax can write.
   */
  wrapper: number | undefined
  /** The text that teaches the tools. For `native`, their definitions. */
  lesson: number
  /** The whole prompt: the lesson, and the messages with their calls and results. */
  prompt: number
}

/** The relevant part of a message as a model without text syntaxes gets it. */
export type SentMessage = { content?: unknown }

export function syntaxCosts(tools: readonly ToolDefinition[], messages: readonly SentMessage[]): SyntaxCost[] {
  const costs = syntaxes.names().map((name): SyntaxCost => {
    const syntax = syntaxes.get(name)
    const lesson = tools.length === 0 ? 0 : estimateTokens(syntax.describe(tools))
    const cost = messages.reduce((sum, message) => sum + estimateMessage(message, syntax, tools), 0)
    return { syntax: name, wrapper: measureWrapper(syntax, tools), lesson, prompt: lesson + cost }
  })
  return costs.sort((a, b) => a.prompt - b.prompt || (a.wrapper ?? 0) - (b.wrapper ?? 0))
}

function measureWrapper(syntax: Syntax, tools: readonly ToolDefinition[]): number | undefined {
  const costs = tools.flatMap(tool => {
    const call = exampleCall(tool)
    const text = tryWrite(() => syntax.format({ ...call, toolCallId: 'call_1' }, tool))
    return text === undefined ? [] : [estimateTokens(text) - estimateValues(call.input)]
  })
  return costs.length === 0 ? undefined : Math.round(costs.reduce((sum, cost) => sum + cost, 0) / costs.length)
}

/** A call that the syntax can't express has no cost. */
function tryWrite(write: () => string): string | undefined {
  try {
    return write()
  } catch {
    return undefined
  }
}

function estimateValues(value: unknown): number {
  if (typeof value === 'string') return estimateTokens(value)
  if (typeof value !== 'object' || value === null) return estimateTokens(String(value))
  return Object.values(value).reduce((sum: number, each) => sum + estimateValues(each), 0)
}

function estimateMessage({ content }: SentMessage, syntax: Syntax, tools: readonly ToolDefinition[]): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  return content.reduce((sum: number, part) => sum + (isRecord(part) ? estimatePart(part, syntax, tools) : 0), 0)
}

function estimatePart(part: Record<string, unknown>, syntax: Syntax, tools: readonly ToolDefinition[]): number {
  if (typeof part.text === 'string') return estimateTokens(part.text)
  const { type, toolName, toolCallId } = part
  if (typeof toolName !== 'string' || typeof toolCallId !== 'string') return 0
  const tool = tools.find(({ name }) => name === toolName)
  const text = tryWrite(() => {
    if (type === 'tool-call') return syntax.format({ toolCallId, toolName, input: part.input }, tool)
    const output = isRecord(part.output) ? part.output.value : part.output
    return syntax.formatResult({ toolCallId, toolName, state: 'output-available', output })
  })
  return estimateTokens(text ?? JSON.stringify(part))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

export function costTable(costs: readonly SyntaxCost[], withPrompt: boolean): string {
  const rows = [
    ['syntax', 'wrapper', 'lesson', 'prompt'],
    ...costs.map(({ syntax, wrapper, lesson, prompt }) => [syntax, wrapper ?? '–', lesson, prompt].map(String)),
  ].map(row => (withPrompt ? row : row.slice(0, 3)))
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows
    .map(row =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  '),
    )
    .map(line => `${line}\n`)
    .join('')
}
