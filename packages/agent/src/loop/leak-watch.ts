import type { Chunk, ToolDefinition } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { parse, syntaxes } from '@argot/core/syntax'

export interface LeakWatchOptions {
  /** False where calls in the text are read anyway. */
  isOn: boolean
  notice: (text: string) => void
}

/** As much of a reply as is looked at. */
const LONGEST = 256 * 1024

/** Tells a person when a model that has calls of its own writes them into its text, where nobody reads them. */
export class LeakWatch {
  readonly #options: LeakWatchOptions
  /** Each dialect is told of once. */
  readonly #told: Set<string> = new Set()

  constructor(options: LeakWatchOptions) {
    this.#options = options
  }

  /** Watches one reply of a model that is offered these tools. */
  begin(tools: readonly ToolDefinition[]): { push(chunk: Chunk): void; end(): void } {
    const { isOn } = this.#options
    let text = ''
    return {
      push: chunk => {
        if (isOn && chunk.type === 'text-delta' && text.length < LONGEST) text += chunk.delta
      },
      end: () => {
        if (isOn && tools.some(({ name }) => text.includes(name))) this.#look(text, tools)
      },
    }
  }

  #look(text: string, tools: readonly ToolDefinition[]): void {
    const { notice } = this.#options
    const found = findLeak(text, tools)
    if (found === undefined || this.#told.has(found.dialect)) return
    this.#told.add(found.dialect)
    const { toolName, dialect } = found
    notice(
      `The model wrote a call of ${toolName} into its text, in the dialect ${dialect}, and it was not run. To have such calls read, use --salvage (or --salvage-dialect ${dialect}).`,
    )
  }
}

/** A call of a known tool that the text holds and that could be run, and the dialect it is written in. */
function findLeak(text: string, tools: readonly ToolDefinition[]): { dialect: string; toolName: string } | undefined {
  const names = new Set(tools.map(({ name }) => name))
  // `auto` knows which of the dialects it reads; the syntaxes of Argot's own are none of them.
  for (const name of ['auto', ...syntaxes.names()]) {
    const syntax = syntaxes.get(name)
    if (syntax.kind === 'native') continue
    for (const chunk of parse(syntax, text, { tools })) {
      if (chunk.type !== 'tool-input-available' || !names.has(chunk.toolName)) continue
      const dialect = argotMetadata(chunk)?.dialect
      return { dialect: typeof dialect === 'string' ? dialect : name, toolName: chunk.toolName }
    }
  }
  return undefined
}
