import type { ReadToolInvocation } from './read-tool-invocation.ts'
import type { ToolInvocation } from './tool-invocation.ts'

declare const unregistered: unique symbol

/** The name of a tool that is not registered: a text that is equal to no name in the program. */
export type ChatUnregisteredToolName = `${string & { readonly [unregistered]: true }}`

/**
 * What `onToolCall` gets: the call, just after its state changed. A check of `toolName` narrows `input` and `output`; to
 * be checked for, a name must be registered.
 */
export interface ChatOnToolCallPayload {
  toolCall: ReadToolInvocation | ToolInvocation<ChatUnregisteredToolName>
}
