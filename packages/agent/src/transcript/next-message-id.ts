import type { Message } from '@argot/core'

/** The id of the message with which a run answers a user who joined in. `messages` are those of its log so far. */
export function nextMessageId(run: string, messages: readonly Message[]): string {
  return `msg-${run}-${messages.filter(({ role }) => role === 'assistant').length + 1}`
}
