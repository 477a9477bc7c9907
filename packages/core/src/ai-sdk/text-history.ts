import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { isToolPart, type MessagePart, type ReasoningPart } from '../message/message.ts'
import type { ToolDefinition } from '../message/tool-definition.ts'
import { isSettled, type ToolInvocation } from '../message/tool-invocation.ts'
import type { Syntax } from '../syntax/syntax.ts'
import { deniedText, notRun } from './native-history.ts'
import { type PromptFileOptions, promptFile } from './prompt-file.ts'
import { providerOptions } from './provider-options.ts'
import { StepWriter } from './step-writer.ts'

type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content']

const dropped =
  'Only what is answered above was run. What you wrote behind the last of these calls was past the limit of calls in one message and was dropped; write it again if it is still needed.'

/** Writes the steps of assistants in a text syntax: what the model said with its calls in place, then their results. */
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
    const content: AssistantContent = []
    const results: string[] = []
    let written = new StepWriter(this.#syntax, this.#tools)
    let isCut = false
    const endText = () => {
      // What a provider said of a text is not sent back: the calls were part of its text, and here they stand in it again.
      if (written.text.trim() !== '') content.push({ type: 'text', text: written.text })
      written = new StepWriter(this.#syntax, this.#tools)
    }
    for (const part of parts) {
      if (isToolPart(part)) {
        written.addCall(part.toolInvocation)
        results.push(this.#syntax.formatResult(settled(part.toolInvocation)))
      } else if (part.type === 'text') {
        if (part.phase === 'remainder') isCut = true
        else written.addText(part.text)
      } else if (part.type === 'reasoning' && isSendable(part)) {
        endText()
        content.push({ type: 'reasoning', text: part.text, ...providerOptions(part.providerMetadata) })
      } else if (part.type === 'file') {
        endText()
        content.push(await promptFile(part, this.#files))
      }
    }
    endText()
    const messages: LanguageModelV3Message[] = []
    if (content.length > 0) messages.push({ role: 'assistant', content })
    if (isCut) results.push(dropped)
    if (results.length > 0) messages.push({ role: 'user', content: [{ type: 'text', text: results.join('\n\n') }] })
    return messages
  }
}

/**
 * Reasoning goes back to a provider that signed it. One that only names an item in the provider's store does not: there
 * it belongs to a text with calls in it, which is sent as it stands here.
 */
function isSendable({ state, providerMetadata = {} }: ReasoningPart): boolean {
  if (state === 'aborted') return false
  return Object.entries(providerMetadata).some(
    ([provider, fields]) =>
      provider !== 'argot' &&
      Object.entries(fields).some(([field, value]) => field !== 'itemId' && value !== null && value !== undefined),
  )
}

/** The call as its result is told: with a result in any case, and with who denied it. */
function settled(call: ToolInvocation): ToolInvocation {
  if (!isSettled(call)) return { ...call, state: 'output-error', errorText: notRun }
  if (call.state !== 'output-denied' || call.approval === undefined) return call
  return { ...call, approval: { ...call.approval, reason: deniedText(call) } }
}
