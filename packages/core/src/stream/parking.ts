import type { FinishReason } from '../message/message.ts'
import type { Chunk } from './chunk.ts'

/** Such a run waits for someone outside: for an approval, or for a client that runs the tool. */
export const parkReason = 'tool-calls'

/** A parked run or message can continue; any other reason ends it for good. */
export function isParkReason(reason: unknown): boolean {
  return reason === parkReason
}

/** Whether a chunk ends its stream for good or until someone answers; undefined for a chunk that doesn't end it. */
export function toEnding(chunk: Chunk): 'ended' | 'parked' | undefined {
  switch (chunk.type) {
    case 'finish':
      return isParkReason(chunk.finishReason) ? 'parked' : 'ended'
    case 'abort':
      return 'ended'
    default:
      return undefined
  }
}

/**
 * For a run whose model made no calls. The model may say `tool-calls` even then; passed on, that would park the run.
 */
export function toFinalReason(reason: FinishReason): FinishReason {
  return isParkReason(reason) ? 'stop' : reason
}

/**
 * Reads a run without its seams: as one message, or as one before and one after each user who joined in. A seam is
 * where the run was parked and continued: the `finish` that parks it and the `start` that continues it.
 */
export class SeamFilter {
  #hasStarted = false

  /**
   * Takes the stream's next chunk; false if it belongs to a seam. With `isLast`, a parking `finish` is kept: no `start`
   * follows, so the message ends there for now.
   */
  keeps(chunk: Chunk, isLast = false): boolean {
    if (chunk.type === 'user-message') this.#hasStarted = false
    if (chunk.type !== 'start') return isLast || toEnding(chunk) !== 'parked'
    const isFirst = !this.#hasStarted
    this.#hasStarted = true
    return isFirst
  }
}
