export { type AccumulateOptions, type Accumulator, type AccumulatorState, accumulate } from './accumulate.ts'
export type * from './chat-adapter.ts'
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
export { type ChatMessageReader, chatMessageReader } from './flat/chat-message-reader.ts'
export type * from './flat/flat-chat-message.ts'
export * from './flat/flat-message.ts'
export type { StoredChatMessage } from './flat/stored-message.ts'
export { type GrownString, type JsonProblem, PartialJson } from './json/partial-json.ts'
export * as limits from './limits.ts'
export { type Ending, OpenParts } from './open-parts.ts'
export { withPhases } from './phases.ts'
export type { LiveMessage } from './reader/live-message.ts'
export type { MessageChange } from './reader/message-change.ts'
export type { MessageReader } from './reader/message-reader.ts'
export { messageToChunks, type ReplayOptions, replay } from './replay.ts'
export { logHeader, parseLog } from './wire/run-log.ts'
export { decodeSse, encodeSse, type SseDecoder, type SseEvent, sseDone, sseHeaders, sseKeepAlive } from './wire/sse.ts'
export { announceHeader, toMuiStream, WireAdapter, type WireClient, wireClient } from './wire/wire.ts'
