import type { ToolDefinition } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { auto } from '@argot/core/syntax'

/** What a model said, in words: the dialect, each call with what was repaired, what was no call and why, and what to use. */
export function explain(text: string, tools: readonly ToolDefinition[] | undefined): string {
  const parser = auto.parser(tools === undefined ? {} : { tools })
  const chunks = [...parser.push(text), ...parser.end()]
  const lines: string[] = []
  const dialects = new Set<string>()
  for (const chunk of chunks) {
    if (chunk.type !== 'tool-input-available' && chunk.type !== 'tool-input-error') continue
    const { dialect, repaired, code } = argotMetadata(chunk) ?? {}
    if (dialect !== undefined) dialects.add(dialect)
    if (chunk.type === 'tool-input-available') {
      lines.push(`call of ${chunk.toolName}: ${JSON.stringify(chunk.input)}`)
      if (repaired !== undefined) lines.push(`  repaired: ${repaired.join(', ')}`)
      if (tools !== undefined && !tools.some(({ name }) => name === chunk.toolName)) {
        lines.push('  but there is no tool of that name')
      }
    } else
      lines.push(
        `a call of ${chunk.toolName} that cannot be read (${code}):`,
        `  ${chunk.errorText.replaceAll('\n', '\n  ')}`,
      )
  }
  for (const { code, message, cure } of parser.diagnostics ?? []) lines.push(`${message} (${code})`, `  ${cure ?? ''}`)
  if (lines.length === 0) lines.push(none(tools))
  const [dialect] = dialects
  if (dialect === undefined) return lines.join('\n')
  return [
    `dialect: ${[...dialects].join(', ')}`,
    ...lines,
    '',
    'In your program:',
    `  import { syntaxes } from '@argot/core/syntax'`,
    `  const parser = syntaxes.get('${dialect}').parser({ tools })`,
    `On the command line: --syntax ${dialect}`,
  ].join('\n')
}

function none(tools: readonly ToolDefinition[] | undefined): string {
  const hint = ' Give the tools with --tools: calls without a mark of their own are found by their names.'
  return `No call was found.${tools === undefined ? hint : ''}`
}
