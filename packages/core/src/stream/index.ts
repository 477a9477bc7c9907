export { type AccumulateOptions, type Accumulator, type AccumulatorState, accumulate } from './accumulate.ts'
export type * from './chat-adapter.ts'
export { type ChatMessageReader, chatMessageReader } from './chat-message-reader.ts'
export * from './chunk.ts'
export { isChunk } from './chunk-problem.ts'
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
export type * from './flat-chat-message.ts'
export * from './flat-message.ts'
export * as limits from './limits.ts'
export type { LiveMessage } from './live-message.ts'
export type { MessageChange } from './message-change.ts'
export type { MessageReader } from './message-reader.ts'
export { type Ending, OpenParts } from './open-parts.ts'
export { type GrownString, type JsonProblem, PartialJson } from './partial-json.ts'
export { withPhases } from './phases.ts'
export { messageToChunks, type ReplayOptions, replay } from './replay.ts'
export { logHeader, parseLog } from './run-log.ts'
export { decodeSse, encodeSse, type SseDecoder, type SseEvent, sseDone, sseHeaders, sseKeepAlive } from './sse.ts'
export type { StoredChatMessage } from './stored-message.ts'
export { announceHeader, toMuiStream, WireAdapter, type WireClient, wireClient } from './wire.ts'
