import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { Message } from '../../message/message.ts'
import { type ModelPrompt, type PromptOptions, PromptWriter } from './prompt-writer.ts'
import type { PromptCut } from './turns.ts'

/** A prompt, and for each of its messages the message of the conversation it comes from. */
export interface TracedPrompt extends ModelPrompt {
  /** The message's index, starting at 0; undefined if it comes from no message: the lesson of a syntax. */
  from: (number | undefined)[]
  cut: PromptCut | undefined
}

/** The prompt of `buildPrompt`, from the same writer, with the origin of each message. */
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
