import type { Message } from '../../message/message.ts'
import { type Prompt, type PromptOptions, PromptWriter } from './prompt-writer.ts'

/**
 * The conversation as a model is sent it. Every call has a result; what a model wrote past the limit is left out, and so
 * is a step that broke off without a call and was made again, or will be.
 *
 * `{{tools}}` and `{{syntax}}` in system and developer messages are filled for a text syntax; without them the tools are
 * described in a message of their own. With native calls, or without tools, there is nothing to say in their place and
 * they are removed. In any other message they are text. A system message after others stays there for providers that
 * take it there, and goes to the front for the rest.
 */
export async function buildPrompt(messages: readonly Message[], options: PromptOptions): Promise<Prompt> {
  const writer = new PromptWriter(messages, options)
  for (const [index, message] of messages.entries()) await writer.message(message, index === messages.length - 1)
  return writer.prompt()
}
