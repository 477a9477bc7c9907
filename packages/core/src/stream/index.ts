/** For those who build loops, servers and chat components: what is below the names of the package itself. */
export { CallKeys } from '../message/call-keys.ts'
export type { CallStage, CallTense, CallUnit, VerbForms } from '../message/call-locale.ts'
export { asContentOutput, type ContentOutput, type ContentPiece } from '../message/content-output.ts'
export type { CallPresentation } from '../message/describe-call.ts'
export {
  type ChatDynamicToolMessagePart,
  type ChatMessage,
  type ChatToolMessagePart,
  type DataPart,
  type FilePart,
  type FinishReason,
  isDataPart,
  type MessageStatus,
  type ReasoningPart,
  type SourceDocumentPart,
  type SourceUrlPart,
  type StepStartPart,
  type TextPhase,
  type TextState,
} from '../message/message.ts'
export { personIn } from '../message/person-in.ts'
export type { ToolEffect } from '../message/tool-definition.ts'
export {
  type ApprovalChange,
  type ApprovalFacts,
  type CallToWrite,
  isSettled,
  type ProviderMetadata,
  type SettledBy,
  type ToolApproval,
  type ToolResult,
  toolStates,
} from '../message/tool-invocation.ts'
export { UniqueIds } from '../message/unique-ids.ts'
export { defined } from '../source/defined.ts'
export type { Severity } from '../source/diagnostic.ts'
export { errorCodes } from '../source/error.ts'
export type { FormatDiagnosticOptions } from '../source/format-diagnostic.ts'
export { isRecord } from '../source/is-record.ts'
export { nearestNames } from '../source/nearest-names.ts'
export { pause } from '../source/pause.ts'
export type { LineCounter, Position, Range } from '../source/position.ts'
export { afterPair, beforePair, endsInHalf, firstCharacters, isHalf } from '../source/surrogates.ts'
export type { AccumulatorState } from './accumulate.ts'
export { settlementTexts } from './builder/settlement.ts'
export type {
  ChatAdapter,
  ChatAddToolApproveResponseInput,
  ChatAddToolOutputInput,
  ChatDraftAttachment,
  ChatListMessagesInput,
  ChatListMessagesResult,
  ChatReconnectToStreamInput,
  ChatRegenerateInput,
  ChatSendMessageInput,
  ChatStream,
} from './chat-adapter.ts'
export {
  type ArgotMetadata,
  type DataChunk,
  type Envelope,
  finishReasons,
  isDataChunk,
  type LifeChunk,
  type LogLine,
  type RestChunk,
  stepMark,
  type TextChunk,
  type ToolApprovalRequest,
  type ToolApprovalResponse,
  type ToolChunk,
  type ToolInputAvailable,
  type ToolInputDelta,
  type ToolInputError,
  type ToolInputStart,
  type ToolOutputAvailable,
  type ToolOutputDenied,
  type ToolOutputError,
  withArgotMetadata,
} from './chunk.ts'
export {
  type CallAnswer,
  type ChunkFacts,
  type ChunkOn,
  type ChunkType,
  chunkFacts,
  factsOfType,
  isInternalMark,
  settledState,
} from './chunk-table.ts'
export { Commentary, type CommentaryOptions, type CommentaryPolicy, type CommentaryState } from './commentary.ts'
export { type ChatMessageReader, chatMessageReader } from './flat/chat-message-reader.ts'
export type { ToolActivity } from './flat/flat-chat-message.ts'
export type { StoredChatMessage } from './flat/stored-message.ts'
export { type GrownString, type JsonProblem, PartialJson } from './json/partial-json.ts'
export * as limits from './limits.ts'
export { type Ending, OpenParts } from './open-parts.ts'
export { withPhases } from './phases.ts'
export type { LiveMessage } from './reader/live-message.ts'
export type { MessageReader } from './reader/message-reader.ts'
export { logHeader, parseLog } from './wire/run-log.ts'
export { type SseDecoder, type SseEvent, sseDone, sseKeepAlive } from './wire/sse.ts'
export { announceHeader, WireAdapter, type WireClient, wireClient } from './wire/wire.ts'
