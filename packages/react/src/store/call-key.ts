import type { ToolInvocation } from '@argot/core'

/** Unique among all calls of a conversation. */
export function toCallKey(messageId: string, call: Pick<ToolInvocation, 'key'>): string {
  return `${messageId}/${call.key}`
}
