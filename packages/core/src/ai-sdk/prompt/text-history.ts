import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { isToolPart, type MessagePart, type ReasoningPart } from '../../message/message.ts'
import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import type { Syntax } from '../../syntax/syntax.ts'
import { type PromptFileOptions, promptFile } from './prompt-file.ts'
import { providerOptions } from './provider-options.ts'
import { TextStep } from './text-step.ts'

export class TextHistory {
  readonly #syntax: Syntax
  readonly #tools: ReadonlyMap<string, ToolDefinition>
  readonly #files: PromptFileOptions

  constructor(syntax: Syntax, tools: readonly ToolDefinition[], files: PromptFileOptions) {
    this.#syntax = syntax
    this.#tools = new Map(tools.map(tool => [tool.name, tool]))
    this.#files = files
  }

  async step(parts: readonly MessagePart[]): Promise<LanguageModelV3Message[]> {
    const step = new TextStep(this.#syntax, this.#tools, this.#files.lacksVision)
    for (const part of parts) {
      if (isToolPart(part)) step.addCall(part.toolInvocation)
      else if (part.type === 'text') {
        if (part.phase === 'remainder') step.noteRemainder()
        else step.addText(part.text)
      } else if (part.type === 'reasoning' && isSendable(part)) {
        step.addPart({ type: 'reasoning', text: part.text, ...providerOptions(part.providerMetadata) })
      } else if (part.type === 'file') step.addPart(await promptFile(part, this.#files))
    }
    return step.messages()
  }
}

function isSendable({ state, providerMetadata }: ReasoningPart): boolean {
  return state !== 'aborted' && isSigned(providerMetadata)
}

/**
 * True if a provider signed the reasoning; only then is it sent back. Reasoning that only names an item in the
 * provider's store isn't sent: it belongs to the text in that store, and here the text is sent in another form, with
 * the calls in it.
 */
export function isSigned(metadata: ProviderMetadata = {}): boolean {
  return Object.entries(metadata).some(
    ([provider, fields]) =>
      provider !== 'argot' &&
      Object.entries(fields).some(([field, value]) => field !== 'itemId' && value !== null && value !== undefined),
  )
}
