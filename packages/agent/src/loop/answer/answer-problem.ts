import type { ErrorCode, Message } from '@argot/core'
import type { FinishReason } from '@argot/core/stream/internal'

export interface AnswerProblem {
  code: ErrorCode
  error: string
}

export function answerProblem(reason: FinishReason, message: Message | undefined): AnswerProblem | undefined {
  const isAnswered = hasAnswer(message)
  if (reason === 'length') {
    const error = isAnswered
      ? 'The answer reached the token limit and is incomplete. Run it again to continue, or raise max_tokens.'
      : 'The model reached its token limit before it wrote an answer. Raise max_tokens and run it again.'
    return { code: 'MODEL_REPLY_CUT', error }
  }
  if (reason === 'content-filter') {
    const error = "The provider's content filter stopped the answer. Change your message, or run it again."
    return { code: 'MODEL_REPLY_FILTERED', error }
  }
  if (isAnswered) return undefined
  return { code: 'MODEL_REPLY_EMPTY', error: 'The model returned an empty answer. Run the document again to retry.' }
}

export function keepsReachingLimit(times: number): AnswerProblem {
  const error = `The model reached its token limit ${times} times in a row before it finished writing a call. Raise max_tokens or ask for smaller pieces, and run it again to continue.`
  return { code: 'MODEL_REPLY_CUT', error }
}

function hasAnswer(message: Message | undefined): boolean {
  const parts = message?.parts ?? []
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  return step.some(part => (part.type === 'text' ? part.text.trim() !== '' : part.type !== 'reasoning'))
}
