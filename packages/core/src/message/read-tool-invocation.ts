import type { ToolInvocation } from './tool-invocation.ts'
import type { ChatKnownToolName, ChatToolInput, ChatToolOutput } from './tool-types.ts'

/** A registered tool's call in a message that was read: it has its key. */
export type ReadToolInvocation<Name extends ChatKnownToolName = ChatKnownToolName> = Name extends unknown
  ? ToolInvocation<Name, ChatToolInput<Name>, ChatToolOutput<Name>>
  : never
