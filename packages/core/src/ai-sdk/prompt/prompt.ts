import type { Message } from '../../message/message.ts'
import { type ModelPrompt, type PromptOptions, PromptWriter } from './prompt-writer.ts'

/**
 * The conversation in the form that a model gets. Every call has a result. Text beyond the call limit is left out, and
 * so is a step that broke off without a call and was or will be repeated.
 *
 * `{{tools}}` and `{{syntax}}` in system and developer messages are filled in for a text syntax; without them, a
 * separate message describes the tools. With native calls, or without tools, there is nothing to fill in and they are
 * removed. In any other message they are text. A system message after others stays there for providers that accept it,
 * and moves to the front for the rest.
 */
export async function buildPrompt(messages: readonly Message[], options: PromptOptions): Promise<ModelPrompt> {
  const writer = new PromptWriter(messages, options)
  for (const [index, message] of messages.entries()) await writer.message(message, index === messages.length - 1)
  return writer.prompt()
}
