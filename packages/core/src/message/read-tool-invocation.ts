import type { ToolInvocation } from './tool-invocation.ts'
import type { ChatKnownToolName, ChatToolInput, ChatToolOutput } from './tool-types.ts'

/** In a message that was read, every call has its key. */
export type ReadToolInvocation<Name extends ChatKnownToolName = ChatKnownToolName> = Name extends unknown
  ? ToolInvocation<Name, ChatToolInput<Name>, ChatToolOutput<Name>>
  : never
