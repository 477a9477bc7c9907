export { type FullStreamPart, fromFullStream } from './ai-sdk/full-stream.ts'
export { fromUIMessage, toUIMessage, type UIMessage, type UIMessagePart } from './ai-sdk/ui-message.ts'
export type { CallLocale } from './message/call-locale.ts'
export { type CallDescription, type DescribeCallOptions, describeCall } from './message/describe-call.ts'
export { english } from './message/english.ts'
export {
  isToolPart,
  type Message,
  type MessagePart,
  type Role,
  type TextPart,
  type ToolPart,
  toolCalls,
} from './message/message.ts'
export type { JsonSchema, ToolDefinition } from './message/tool-definition.ts'
export type { ToolInvocation, ToolState } from './message/tool-invocation.ts'
// By a star, so that an augmentation of this module reaches them.
export type * from './message/tool-types.ts'
export { type UserFile, userMessage } from './message/user-message.ts'
export type { Diagnostic } from './source/diagnostic.ts'
export { ArgotError, type ErrorCode } from './source/error.ts'
export { formatDiagnostic } from './source/format-diagnostic.ts'
export { type AccumulateOptions, type Accumulator, accumulate } from './stream/accumulate.ts'
export { argotMetadata, type Chunk } from './stream/chunk.ts'
export { isChunk } from './stream/chunk-problem.ts'
export type { FlatChatMessage, FlatToolCall } from './stream/flat/flat-chat-message.ts'
export { fromChatMessage, getMessageText, toChatMessage, toolActivity } from './stream/flat/flat-message.ts'
export type { MessageChange } from './stream/reader/message-change.ts'
export { messageToChunks, type ReplayOptions, replay } from './stream/replay.ts'
export { decodeSse, encodeSse, sseHeaders } from './stream/wire/sse.ts'
export { toMuiStream } from './stream/wire/wire.ts'
