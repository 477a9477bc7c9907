import { ArgotError, type ErrorCode } from '@argot/core'
import { type FinishReason, parkReason, type StreamEnding } from '@argot/core/stream/internal'
import { toMessage } from '../words/to-message.ts'
import type { AnswerProblem } from './answer/answer-problem.ts'

/** How a run of the loop ends. */
export type End =
  | { type: 'finish'; finishReason: FinishReason; problem?: AnswerProblem | undefined }
  | { type: 'parked' }
  | { type: 'stopped' }
  | { type: 'failed'; code: ErrorCode; error: string }

/** Why the model stopped, as the result says it. */
export function getFinishReason(end: End): FinishReason | undefined {
  switch (end.type) {
    case 'finish':
      return end.finishReason
    case 'parked':
      return parkReason
    case 'failed':
      return 'error'
    case 'stopped':
      return undefined
  }
}

/** How the stream ends. */
export function toEnding(
  end: End,
  messageMetadata: Record<string, unknown>,
  reason: { reason?: string },
): StreamEnding {
  switch (end.type) {
    case 'finish':
      return { type: 'finish', finishReason: end.finishReason, messageMetadata }
    case 'parked':
      return { type: 'finish', finishReason: parkReason, messageMetadata }
    case 'stopped':
      return { type: 'abort', ...reason }
    case 'failed':
      return { type: 'error', errorText: end.error }
  }
}

/** The end of a run that could not be kept. */
export function notSaved(error: unknown): Extract<End, { type: 'failed' }> {
  const words = toMessage(error)
  if (error instanceof ArgotError) return { type: 'failed', code: error.code, error: words }
  return { type: 'failed', code: 'RUN_NOT_SAVED', error: `The transcript could not be saved: ${words}` }
}
