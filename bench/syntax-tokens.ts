import { builtinTasks, examplePattern, type Task } from '@argot/agent/internal'
import { estimateTokens } from '@argot/core/stream/internal'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { tokenCases } from './syntax-cases.ts'
import { table } from './table.ts'

type Count = (text: string) => number

/** What each syntax adds to the values of a call, in tokens: markers, names, quotes and escapes. */
export function tokenTable(names: readonly string[] = syntaxes.names()): string {
  const rows = names.map(name => [name, ...wrapperTokens(syntaxes.get(name), countO200k)])
  return table(['syntax', ...tokenCases.map(each => each.name)], rows)
}

/** The same by two tokenizers. */
export function wrapperTable(): string {
  const headings = tokenCases.flatMap(({ name }) => [`${name}, o200k`, 'cl100k'])
  const rows = syntaxes.names().map(name => {
    const [first, second] = [countO200k, countCl100k].map(count => wrapperTokens(syntaxes.get(name), count))
    return [name, ...first!.flatMap((tokens, index) => [tokens, second![index]])]
  })
  return table(['syntax', ...headings], rows)
}

function wrapperTokens(syntax: Syntax, count: Count): number[] {
  return tokenCases.map(({ tool, input, values }) => {
    const text = syntax.format({ toolCallId: 'call_1', toolName: tool.name, input }, tool)
    return count(text) - values.reduce((sum, value) => sum + count(value), 0)
  })
}

/** What a call that a task of `argot trial` expects has on average, values and all; the cheapest syntax first. */
export function callTable(): string {
  const calls = builtinTasks().flatMap(task => task.calls.map(call => ({ task, call })))
  const rows = syntaxes.names().map(name => {
    const texts = calls.map(({ task, call }) => writeCall(syntaxes.get(name), task, call))
    const [first, second, estimate] = [countO200k, countCl100k, estimateTokens].map(count => mean(texts, count))
    return { first: first!, cells: [name, first!.toFixed(1), second!.toFixed(1), `~${estimate!.toFixed(1)}`] }
  })
  rows.sort((a, b) => a.first - b.first)
  return table(
    ['syntax', 'o200k', 'cl100k', 'Argot’s estimate'],
    rows.map(({ cells }) => cells),
  )
}

/** How many calls `callTable` counts. */
export function countedCalls(): number {
  return builtinTasks().reduce((sum, { calls }) => sum + calls.length, 0)
}

function writeCall(syntax: Syntax, { tools }: Task, { tool, input }: Task['calls'][number]): string {
  const definition = tools.find(({ name }) => name === tool)
  return syntax.format({ toolCallId: 'call_1', toolName: tool, input: examplePattern(input) }, definition)
}

function mean(texts: readonly string[], count: Count): number {
  return texts.reduce((sum, text) => sum + count(text), 0) / texts.length
}
