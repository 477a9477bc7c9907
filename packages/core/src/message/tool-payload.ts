import type { ReadToolInvocation } from './read-tool-invocation.ts'
import type { ToolInvocation } from './tool-invocation.ts'

declare const unregistered: unique symbol

/** The name of an unregistered tool: a string type that no literal in the program equals. */
export type ChatUnregisteredToolName = `${string & { readonly [unregistered]: true }}`

/**
 * The argument of `onToolCall`: the call, just after its state changed. Checking `toolName` narrows `input` and
 * `output`, which requires the name to be registered.
 */
export interface ChatOnToolCallPayload {
  toolCall: ReadToolInvocation | ToolInvocation<ChatUnregisteredToolName>
}
