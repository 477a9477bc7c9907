import type { Chunk, Message } from '@argot/core'
import { correctionType, isCorrection } from '@argot/core/stream/internal'
import type { Syntax } from '@argot/core/syntax'
import type { SyntaxDiagnostic } from '@argot/core/syntax/internal'
import type { Tool } from '../../tool/tool.ts'

export interface ShownCallsOptions {
  syntax: Syntax
  tools: () => ReadonlyMap<string, Tool>
  notice: (text: string) => void
}

export interface ShownCallsReport {
  chunks: Chunk[]
  /** The model is asked again. */
  isCorrected: boolean
}

/**
 * Notifies the user when a reply shows a call without making it. If it ends with a complete call to an offered tool in
 * a code block, the model is corrected, once per message: models that meant the call then make it. A call that is only
 * shown never runs.
 */
export class ShownCalls {
  readonly #options: ShownCallsOptions

  constructor(options: ShownCallsOptions) {
    this.#options = options
  }

  /** Reports the calls that the parser found in a reply without calls. `message` is the message so far. */
  async report(
    diagnostics: readonly SyntaxDiagnostic[],
    message: Message | undefined,
    mayAskAgain: boolean,
  ): Promise<ShownCallsReport> {
    const [first] = diagnostics
    if (first === undefined) return { chunks: [], isCorrected: false }
    const isCorrectable = mayAskAgain && message?.parts.some(isCorrection) !== true
    const intended = isCorrectable ? await this.#findIntended(diagnostics) : undefined
    const text = describeShown(intended ?? first, intended !== undefined)
    this.#options.notice(text)
    const metadata = { notices: [...getNotices(message), text] }
    const chunks: Chunk[] = [{ type: 'message-metadata', messageMetadata: metadata, metadata }]
    if (intended === undefined) return { chunks, isCorrected: false }
    const { toolName } = intended
    chunks.push({ type: correctionType, data: { text: this.#correction(toolName), toolName } })
    return { chunks, isCorrected: true }
  }

  /** The call that ends the reply, if it is in a code block and could run. */
  async #findIntended(diagnostics: readonly SyntaxDiagnostic[]): Promise<SyntaxDiagnostic | undefined> {
    const last = diagnostics.findLast(({ final, fenced }) => final && fenced === true)
    const tool = last && this.#options.tools().get(last.toolName)
    if (last === undefined || tool === undefined || !('input' in last)) return undefined
    try {
      return (await tool.validate(last.input)).ok ? last : undefined
    } catch {
      return undefined
    }
  }

  #correction(toolName: string): string {
    const cure =
      this.#options.syntax.kind === 'native' ? 'Call the tool itself to run it.' : 'Write it outside to run it.'
    return `You showed a call of ${toolName} in a code block. ${cure}`
  }
}

function describeShown({ code, toolName, fenced }: SyntaxDiagnostic, isCorrected: boolean): string {
  if (code === 'SYNTAX_NEAR_MISS') {
    return `The reply contains something like a call of ${toolName}, but it isn't a valid call, so nothing ran.`
  }
  const place = fenced === true ? ' in a code block' : ''
  const next = isCorrected ? ' Argot is asking it to make the call.' : ''
  return `The model only showed a call of ${toolName}${place}, so it didn't run.${next}`
}

function getNotices(message: Message | undefined): unknown[] {
  const notices = message?.metadata?.notices
  return Array.isArray(notices) ? notices : []
}
