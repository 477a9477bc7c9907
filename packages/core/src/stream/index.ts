/** For those who build loops, servers and chat components: what is below the names of the package itself. */
export {
  type ApprovalAnswer,
  type ApprovalDecision,
  answerFields,
  type KeptAnswer,
  keptAnswer,
  pickDecision,
  readAnswer,
} from '../message/approval-answer.ts'
export { CallKeys } from '../message/call-keys.ts'
export type { CallLocale, CallStage, CallTense, CallUnit, VerbForms } from '../message/call-locale.ts'
export { asContentOutput, type ContentOutput, type ContentPiece } from '../message/content-output.ts'
export type { CallDescription, CallPresentation, DescribeCallOptions } from '../message/describe-call.ts'
export { english } from '../message/english.ts'
export { type DataPart, type FilePart, type FinishReason, isDataPart, type MessageStatus } from '../message/message.ts'
export { personIn } from '../message/person-in.ts'
export type { ToolEffect } from '../message/tool-definition.ts'
export {
  type ApprovalChange,
  type ApprovalFacts,
  isSettled,
  type ProviderMetadata,
  type SettledBy,
  type ToolApproval,
  toolStates,
} from '../message/tool-invocation.ts'
export { isInDiff, isUnifiedDiff, linesInDiff } from '../message/unified-diff.ts'
export { UniqueIds } from '../message/unique-ids.ts'
export type { UserFile } from '../message/user-message.ts'
export { visibleLine, visibleText } from '../message/visible-text.ts'
export { questionTool, waitsFor } from '../message/waiting.ts'
export { defined } from '../source/defined.ts'
export type { FormatDiagnosticOptions } from '../source/format-diagnostic.ts'
export { isRecord } from '../source/is-record.ts'
export { nearestNames } from '../source/nearest-names.ts'
export { pause } from '../source/pause.ts'
export { createLineCounter, type LineCounter, type Position, type Range } from '../source/position.ts'
export { afterPair, beforePair, endsInHalf, firstCharacters, isHalf } from '../source/surrogates.ts'
export { describeSystemError } from '../source/system-error.ts'
export type { AccumulatorState } from './accumulate.ts'
export { answerInResponse, toApprovalResponse } from './approval-response.ts'
export { settlementTexts } from './builder/settlement.ts'
export {
  type ArgotMetadata,
  argotMetadata,
  type DataChunk,
  type Envelope,
  isDataChunk,
  type LogLine,
  stepMark,
  type ToolApprovalResponse,
  type ToolChunk,
  type ToolOutputAvailable,
} from './chunk.ts'
export { isChunk } from './chunk-problem.ts'
export { type ChunkFacts, type ChunkOn, chunkFacts, factsOfType, isInternalMark, settledState } from './chunk-table.ts'
export { Commentary, type CommentaryOptions, type CommentaryPolicy, type CommentaryState } from './commentary.ts'
export { parkReason, SeamFilter, toEnding, toFinalReason } from './ending.ts'
export { type GrownString, PartialJson } from './json/partial-json.ts'
export * as limits from './limits.ts'
export { type Ending, OpenParts } from './open-parts.ts'
export { withPhases } from './phases.ts'
export type { LiveMessage } from './reader/live-message.ts'
export type { MessageChange } from './reader/message-change.ts'
export type { MessageReader } from './reader/message-reader.ts'
export { messageToChunks, type ReplayOptions } from './replay.ts'
export { logHeader, parseLog } from './wire/run-log.ts'
export { type SseDecoder, type SseEvent, sseDone, sseHeaders, sseKeepAlive } from './wire/sse.ts'
export { SseReader } from './wire/sse-reader.ts'
export { announceHeader, toMuiStream, WireAdapter, type WireClient, wireClient } from './wire/wire.ts'
