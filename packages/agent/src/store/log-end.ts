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
 * How a log ends, from its last chunk. `ended`: the document is complete. `waiting`: it is complete and the run is
 * parked. `open`: the document may be incomplete, so the next process reads the log.
 */
export function stateAfter(chunk: Chunk | undefined): 'ended' | 'waiting' | 'open' {
  if (chunk?.type === recoveredMark) return 'ended'
  if (chunk?.type !== writtenMark) return 'open'
  return markData(chunk).parked === true ? 'waiting' : 'ended'
}
