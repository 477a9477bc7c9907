import { ArgotError, type ErrorCode } from '@argot/core'
import { type FinishReason, parkReason, type StreamEnding } from '@argot/core/stream/internal'
import { toMessage } from '../words/to-message.ts'
import type { AnswerProblem } from './answer/answer-problem.ts'

export type LoopEnd =
  | { type: 'finish'; finishReason: FinishReason; problem?: AnswerProblem | undefined }
  | { type: 'parked' }
  | { type: 'stopped' }
  | { type: 'failed'; code: ErrorCode; error: string }

export function getFinishReason(end: LoopEnd): FinishReason | undefined {
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

export function toEnding(
  end: LoopEnd,
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

export function notSaved(error: unknown): Extract<LoopEnd, { type: 'failed' }> {
  const words = toMessage(error)
  if (error instanceof ArgotError) return { type: 'failed', code: error.code, error: words }
  return { type: 'failed', code: 'RUN_NOT_SAVED', error: `The transcript couldn't be saved: ${words}` }
}
