import type { Chunk } from 'argot'
import { markData, recoveredMark, writtenMark } from './marks.ts'

/** True for the last chunk of a run: one that finishes for tool calls waits for an answer, and has not ended. */
export function endsRun(chunk: Chunk): boolean {
  switch (chunk.type) {
    case 'abort':
    case recoveredMark:
      return true
    case 'finish':
      return chunk.finishReason !== 'tool-calls'
    case writtenMark:
      return markData(chunk).parked !== true
    default:
      return false
  }
}

/**
 * How a log ends, by its last chunk. `ended`: the document has everything. `waiting`: it does, and the run is parked.
 * `open`: it may lack something, so the next process reads the log.
 */
export function stateAfter(chunk: Chunk | undefined): 'ended' | 'waiting' | 'open' {
  if (chunk?.type === recoveredMark) return 'ended'
  if (chunk?.type !== writtenMark) return 'open'
  return markData(chunk).parked === true ? 'waiting' : 'ended'
}
