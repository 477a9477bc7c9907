/**
 * For programs that show or read conversations. Names for builders are in `@argot/core/stream`, chat types in
 * `@argot/core/types`.
 */
export { fromFullStream } from './ai-sdk/full-stream.ts'
export { fromUIMessage, toUIMessage, type UIMessage } from './ai-sdk/ui-message.ts'
export { describeCall } from './message/describe-call.ts'
export {
  isToolPart,
  type Message,
  type MessagePart,
  type Role,
  type ToolPart,
  toolCalls,
} from './message/message.ts'
export type { JsonSchema, ToolDefinition } from './message/tool-definition.ts'
export type { ToolInvocation, ToolState } from './message/tool-invocation.ts'
export { userMessage } from './message/user-message.ts'
export type { Diagnostic } from './source/diagnostic.ts'
export { ArgotError, type ErrorCode } from './source/error.ts'
export { formatDiagnostic } from './source/format-diagnostic.ts'
export { type Accumulator, accumulate } from './stream/accumulate.ts'
export type { Chunk } from './stream/chunk.ts'
export { fromChatMessage, getMessageText, toChatMessage, toolActivity } from './stream/flat/flat-message.ts'
export { replay } from './stream/replay.ts'
export { decodeSse, encodeSse } from './stream/wire/sse.ts'
