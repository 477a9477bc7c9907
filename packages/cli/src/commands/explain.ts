import type { Chunk, ToolDefinition } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import type { SyntaxDiagnostic } from '@argot/core/syntax/internal'

export interface ExplainOptions {
  tools?: readonly ToolDefinition[] | undefined
  syntax?: Syntax | undefined
}

interface SyntaxReading {
  syntax: Syntax
  calls: (Chunk & { type: 'tool-input-available' | 'tool-input-error' })[]
  diagnostics: readonly SyntaxDiagnostic[]
  guessedTools: ReadonlySet<string>
}

/**
 * Explains a model's reply in words: the dialect, each call with its repairs, what isn't a call and why, and what to
 * use.
 */
export function explain(text: string, { tools, syntax }: ExplainOptions): string {
  const reading = findReading(text, tools ?? [], syntax)
  const { calls, diagnostics, guessedTools } = reading
  const lines = calls.flatMap(chunk => describe(chunk, tools, guessedTools))
  for (const { code, message, cure } of diagnostics) lines.push(`${message} (${code})`, `  ${cure ?? ''}`)
  if (lines.length === 0) return describeNone(tools)
  const dialects = [...new Set(calls.map(chunk => argotMetadata(chunk)?.dialect ?? reading.syntax.name))]
  const [dialect] = dialects
  if (dialect === undefined) return lines.join('\n')
  return [
    `dialect: ${dialects.join(', ')}`,
    ...lines,
    '',
    'In your program:',
    `  import { syntaxes } from '@argot/core/syntax'`,
    `  const parser = syntaxes.get('${dialect}').parser({ tools })`,
    `On the command line: --syntax ${dialect}`,
  ].join('\n')
}

/**
 * The first reading with a call: with the named syntax, with `auto`, with `auto` and the tools that the text seems to
 * name, then with each other syntax. Without a call, the first reading that says why.
 */
function findReading(text: string, tools: readonly ToolDefinition[], namedSyntax: Syntax | undefined): SyntaxReading {
  const auto = syntaxes.get('auto')
  const guesses = guessTools(text, tools)
  const first = readWith(namedSyntax ?? auto, text, tools, [])
  const readings = [first]
  const hasCall = ({ calls }: SyntaxReading): boolean => calls.some(({ type }) => type === 'tool-input-available')
  for (const syntax of [namedSyntax, auto, ...syntaxes.names().map(name => syntaxes.get(name))]) {
    const last = readings.at(-1)!
    if (hasCall(last)) return last
    if (syntax?.kind === 'text') readings.push(readWith(syntax, text, tools, guesses))
  }
  return readings.find(({ calls }) => calls.length > 0) ?? readings.find(one => one.diagnostics.length > 0) ?? first
}

function readWith(
  syntax: Syntax,
  text: string,
  tools: readonly ToolDefinition[],
  guesses: readonly ToolDefinition[],
): SyntaxReading {
  const all = [...tools, ...guesses]
  const parser = syntax.parser(all.length === 0 ? {} : { tools: all })
  const chunks = [...parser.push(text), ...parser.end()]
  const calls = chunks.filter(chunk => chunk.type === 'tool-input-available' || chunk.type === 'tool-input-error')
  return {
    syntax,
    calls,
    diagnostics: parser.diagnostics ?? [],
    guessedTools: new Set(guesses.map(({ name }) => name)),
  }
}

/** Tool names in calls without a marker: JSON keys, Python calls, and tags with two-word names. */
const namePatterns: readonly RegExp[] = [
  /"(?:name|tool|tool_name|function|function_name|action)"\s*:\s*"([\w.-]{1,64})"/g,
  /\b([A-Za-z_][\w.]{0,63})\(/g,
  /<([a-z]{1,32}_\w{1,32})[\s/>]/g,
  /<(?:tool:|invoke name=|function=)["']?([\w.-]{1,64})/g,
]
/** More than any reply contains. */
const MOST_GUESSES = 100

function guessTools(text: string, tools: readonly ToolDefinition[]): ToolDefinition[] {
  const names = namePatterns.flatMap(pattern => Array.from(text.matchAll(pattern), match => match[1]!))
  const toolNames = new Set(tools.map(({ name }) => name))
  const guesses = [...new Set(names)].filter(name => !toolNames.has(name)).slice(0, MOST_GUESSES)
  return guesses.map(name => ({ name, inputSchema: { type: 'object' } }))
}

function describe(
  chunk: SyntaxReading['calls'][number],
  tools: readonly ToolDefinition[] | undefined,
  guessedTools: ReadonlySet<string>,
): string[] {
  const { repaired, code, inReasoning } = argotMetadata(chunk) ?? {}
  if (chunk.type === 'tool-input-error') {
    return [`unreadable call to ${chunk.toolName} (${code}):`, `  ${chunk.errorText.replaceAll('\n', '\n  ')}`]
  }
  const { toolName } = chunk
  const lines = [`call to ${toolName}: ${JSON.stringify(chunk.input)}`]
  if (repaired !== undefined) lines.push(`  repaired: ${repaired.join(', ')}`)
  if (inReasoning === true) lines.push("  written inside the model's reasoning")
  if (tools !== undefined && !tools.some(({ name }) => name === toolName)) {
    lines.push('  but there is no tool with that name')
  } else if (guessedTools.has(toolName)) lines.push('  if there is a tool with that name; pass the tools with --tools')
  return lines
}

function describeNone(tools: readonly ToolDefinition[] | undefined): string {
  const hint = ' Pass the tools with --tools: calls without a mark are recognized by their tool names.'
  return `No calls found.${tools === undefined ? hint : ''}`
}
