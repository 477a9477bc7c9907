import { type Syntax, syntaxes } from '@argot/core/syntax'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { tokenCases } from './syntax-cases.ts'
import { table } from './table.ts'

/** What each syntax adds to the values of a call, in tokens: markers, names, quotes and escapes. */
export function tokenTable(): string {
  const rows = syntaxes.names().map(name => {
    const syntax = syntaxes.get(name)
    return [name, ...tokenCases.map(each => wrapperTokens(syntax, each))]
  })
  return table(['syntax', ...tokenCases.map(each => each.name)], rows)
}

function wrapperTokens(syntax: Syntax, { tool, input, values }: (typeof tokenCases)[number]): number {
  const text = syntax.format({ toolCallId: 'call_1', toolName: tool.name, input }, tool)
  return countTokens(text) - values.reduce((sum, value) => sum + countTokens(value), 0)
}
