import type { ToolInvocation } from 'argot'

/** The name of a call among all calls of a conversation. */
export function callKeyOf(messageId: string, call: Pick<ToolInvocation, 'key'>): string {
  return `${messageId}/${call.key}`
}
