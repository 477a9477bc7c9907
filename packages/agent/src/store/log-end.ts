import type { Chunk } from '@argot/core'
import { toEnding } from '@argot/core/stream'
import { markData, recoveredMark, writtenMark } from './marks.ts'

/** True for the last chunk of a run's log. A parked run isn't over: its log continues with the answer. */
export function endsRun(chunk: Chunk): boolean {
  switch (chunk.type) {
    case recoveredMark:
      return true
    case writtenMark:
      return markData(chunk).parked !== true
    default:
      return toEnding(chunk) === 'ended'
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
