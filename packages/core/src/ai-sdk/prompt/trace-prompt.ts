import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { Message } from '../../message/message.ts'
import { type ModelPrompt, type PromptOptions, PromptWriter } from './prompt-writer.ts'
import type { PromptCut } from './turns.ts'

export interface TracedPrompt extends ModelPrompt {
  /** For each prompt message, the index of its message in the conversation; undefined for the lesson of a syntax. */
  from: (number | undefined)[]
  cut: PromptCut | undefined
}

/** Builds the same prompt as `buildPrompt`, and records where each message comes from. */
export async function tracePrompt(messages: readonly Message[], options: PromptOptions): Promise<TracedPrompt> {
  const writer = new PromptWriter(messages, options)
  const from = new Map<LanguageModelV3Message, number | undefined>()
  const note = (index: number | undefined): void => {
    for (const message of writer.prompt().prompt) if (!from.has(message)) from.set(message, index)
  }
  note(undefined)
  for (const [index, message] of messages.entries()) {
    await writer.message(message, index === messages.length - 1)
    note(index)
  }
  const prompt = writer.prompt()
  return { ...prompt, cut: writer.cut, from: prompt.prompt.map(message => from.get(message)) }
}
