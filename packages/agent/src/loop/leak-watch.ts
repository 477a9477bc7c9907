import type { Chunk, ToolDefinition } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { isRecord } from '@argot/core/stream/internal'
import { syntaxes } from '@argot/core/syntax'
import type { SyntaxDiagnostic } from '@argot/core/syntax/internal'

export interface LeakWatchOptions {
  /** False if calls in the text are read anyway. */
  isOn: boolean
  notice: (text: string) => void
}

/** How much of a reply is examined, in characters. */
const LONGEST_TEXT = 256 * 1024

/** Notifies the user when a model with native calls writes them into its text, where they don't run. */
export class LeakWatch {
  readonly #options: LeakWatchOptions
  readonly #reportedDialects: Set<string> = new Set()

  constructor(options: LeakWatchOptions) {
    this.#options = options
  }

  /** `end` returns the calls that a code block shows, if it found any call. */
  begin(tools: readonly ToolDefinition[]): { push(chunk: Chunk): void; end(): SyntaxDiagnostic[] | undefined } {
    const { isOn } = this.#options
    let text = ''
    return {
      push: chunk => {
        if (isOn && chunk.type === 'text-delta' && text.length < LONGEST_TEXT) text += chunk.delta
      },
      end: () => (isOn && tools.some(({ name }) => text.includes(name)) ? this.#examine(text, tools) : undefined),
    }
  }

  /** Reports a leaked call; otherwise returns the calls that a code block shows. */
  #examine(text: string, tools: readonly ToolDefinition[]): SyntaxDiagnostic[] | undefined {
    const { notice } = this.#options
    const { leak, shownCalls } = findLeak(text, tools)
    if (leak === undefined) return shownCalls.length === 0 ? undefined : shownCalls
    if (this.#reportedDialects.has(leak.dialect)) return []
    this.#reportedDialects.add(leak.dialect)
    const { toolName, dialect } = leak
    notice(
      `The model wrote a call of ${toolName} as text, in the dialect ${dialect}, so it didn't run. To run such calls, use --salvage (or --salvage-dialect ${dialect}).`,
    )
    return []
  }
}

interface TextCalls {
  leak?: { dialect: string; toolName: string }
  shownCalls: SyntaxDiagnostic[]
}

/**
 * A call in the text to a known tool that could run, and its dialect. Without one, the calls that a code block shows,
 * in the first dialect that reads any.
 */
function findLeak(text: string, tools: readonly ToolDefinition[]): TextCalls {
  const names = new Set(tools.map(({ name }) => name))
  const json = findFencedJson(text, names)
  if (json !== undefined) return { shownCalls: [json] }
  let diagnostics: SyntaxDiagnostic[] = []
  // `auto` detects which of its dialects matches. Argot's own syntaxes aren't among them.
  for (const name of ['auto', ...syntaxes.names()]) {
    const syntax = syntaxes.get(name)
    if (syntax.kind === 'native') continue
    const parser = syntax.parser({ tools })
    const chunks = [...parser.push(text), ...parser.end()]
    if (diagnostics.length === 0)
      diagnostics = (parser.diagnostics ?? []).filter(one => one.fenced === true && 'input' in one)
    for (const chunk of chunks) {
      if (chunk.type !== 'tool-input-available' || !names.has(chunk.toolName)) continue
      const dialect = argotMetadata(chunk)?.dialect
      return {
        leak: { dialect: typeof dialect === 'string' ? dialect : name, toolName: chunk.toolName },
        shownCalls: [],
      }
    }
  }
  return { shownCalls: diagnostics }
}

/** A JSON call in a code block at the end: what models with native calls show most often. */
function findFencedJson(text: string, names: ReadonlySet<string>): SyntaxDiagnostic | undefined {
  const block = /(?:^|\n)(`{3,}|~{3,})[^\n`]*\n((?:(?!\1)[\s\S])*)\n\1[`~]*\s*$/.exec(text)
  if (block === null) return undefined
  const value = parseJson(block[2]!)
  if (!isRecord(value)) return undefined
  const call = isRecord(value.function) ? value.function : value
  const toolName = call.name ?? call.tool ?? call.tool_name
  const input = call.arguments ?? call.parameters ?? call.input
  if (typeof toolName !== 'string' || !names.has(toolName) || !isRecord(input)) return undefined
  const message = `A call of \`${toolName}\` is only shown, so it didn't run.`
  const cure = 'To make the call, call the tool itself.'
  const severity = 'info'
  return {
    code: 'SYNTAX_EXAMPLE',
    severity,
    message,
    cure,
    toolName,
    offset: block.index,
    final: true,
    fenced: true,
    input,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
