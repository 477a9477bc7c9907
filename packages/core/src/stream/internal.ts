/** Only for packages in this repository. These names change without notice. */
export {
  type ApprovalAnswer,
  type ApprovalDecision,
  answerFields,
  pickAnswer,
  pickDecision,
  readAnswer,
  type StoredAnswer,
} from '../message/approval-answer.ts'
export { CallKeys } from '../message/call-keys.ts'
export type { CallStage } from '../message/call-locale.ts'
export { callVerb } from '../message/call-verb.ts'
export type { ContentOutput, ContentPiece } from '../message/content-output.ts'
export { correctionType, isCorrection } from '../message/correction.ts'
export {
  type CallDescription,
  type CallPresentation,
  type DescribeCallOptions,
  describeCallWith,
} from '../message/describe-call-with.ts'
export { type EditPart, findOmittedParts, type LineRange, reduceInput } from '../message/edit-parts.ts'
export { getDeciderName } from '../message/get-decider-name.ts'
export { type DataPart, type FilePart, type FinishReason, isDataPart, type MessageStatus } from '../message/message.ts'
export { type MoreWords, moreWords } from '../message/more-words.ts'
export { plainLines, stripAnsi } from '../message/plain-lines.ts'
export { readContent, readContentForModel } from '../message/read-content.ts'
export { callNumber, lastCallNumber, ShortCallIds } from '../message/short-call-ids.ts'
export { isSummary, type SummaryPart, summaryType } from '../message/summary.ts'
export {
  type ApprovalChange,
  type ApprovalCheck,
  type ApprovalFacts,
  type ProviderMetadata,
  type SettledBy,
  type ToolApproval,
  toolStates,
} from '../message/tool-invocation.ts'
export { isInDiff, isUnifiedDiff, linesInDiff } from '../message/unified-diff.ts'
export { UniqueIds } from '../message/unique-ids.ts'
export { visibleLine } from '../message/visible-text.ts'
export { questionTool } from '../message/waits-for.ts'
export { defined } from '../source/defined.ts'
export { estimateTokens } from '../source/estimate-tokens.ts'
export { isRecord } from '../source/is-record.ts'
export { type DiffRun, lineDiff } from '../source/line-diff.ts'
export { nearestNames } from '../source/nearest-names.ts'
export { pause } from '../source/pause.ts'
export { createLineCounter } from '../source/position.ts'
export { afterPair, beforePair, endsInHalf, firstCharacters, isHalf } from '../source/surrogates.ts'
export { describeSystemError } from '../source/system-error.ts'
export type { AccumulateOptions, AccumulatorState } from './accumulate.ts'
export { toApprovalAnswer, toApprovalResponse } from './approval-response.ts'
export { settlementTexts } from './builder/settlement.ts'
export {
  type Envelope,
  isDataChunk,
  stepMark,
  type ToolApprovalResponse,
  type ToolChunk,
  type ToolOutputAvailable,
  withArgotMetadata,
} from './chunk.ts'
export { isChunk } from './chunk-problem.ts'
export { type ChunkOn, findFacts } from './chunk-table.ts'
export type { CommentaryPolicy } from './commentary.ts'
export { OpenParts, type StreamEnding } from './open-parts.ts'
export { parkReason, toFinalReason } from './parking.ts'
export type { LiveMessage } from './reader/live-message.ts'
export type { MessageReader } from './reader/message-reader.ts'
export { ResetFilter, type ResetRange, ResetWatch } from './resets.ts'
export type { ChangedFile, ChatTurnChanges } from './turn-changes.ts'
export { endBeforeUserMessage, SteeredFilter, toUserMessageChunk } from './user-message-chunk.ts'
export { logHeader } from './wire/run-log.ts'
export { SseReader } from './wire/sse-reader.ts'
export { announceHeader, appendOnly, canTakeBack, type WireClient } from './wire/wire.ts'
export { withPhases } from './with-phases.ts'
