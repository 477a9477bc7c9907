import type { DataPart, FinishReason } from '@argot/core/stream/internal'
import type { ChatOnToolCallPayload as CallPayload, ChatMessage } from '@argot/core/types'

/** The call, just after its state changed. Checking `toolCall.toolName` narrows its input and output. */
export interface ChatOnToolCallPayload extends CallPayload {
  /** It happened before this page was watching: a run's stream is read again, or a recording is played. */
  replayed: boolean
}

/** Called once per change of a call's state, never for history. Errors and rejections go to `onError`. */
export type ChatOnToolCall = (payload: ChatOnToolCallPayload) => unknown

/** A data part that arrived, with `replayed` as for calls. Transient ones leave no part in the message. */
export type ChatOnData = (part: DataPart & { transient?: boolean; replayed: boolean }) => unknown

export interface ChatOnFinishPayload {
  message: ChatMessage
  messages: readonly ChatMessage[]
  isAbort: boolean
  /** The stream broke off. */
  isDisconnect: boolean
  isError: boolean
  finishReason?: FinishReason
}

/** Called when a run has ended, however it ended. */
export type ChatOnFinish = (payload: ChatOnFinishPayload) => unknown

export interface ChatError {
  code:
    | 'SEND_ERROR'
    | 'STREAM_ERROR'
    | 'HISTORY_ERROR'
    | 'REGENERATE_ERROR'
    | 'ANSWER_ERROR'
    | 'BRANCH_ERROR'
    | 'FEEDBACK_ERROR'
    | 'RENDER_ERROR'
    | 'CALLBACK_ERROR'
  message: string
  source: 'send' | 'stream' | 'history' | 'adapter' | 'render' | 'callback'
  /** Trying again may help. */
  retryable: boolean
  cause?: unknown
}

export type ChatOnError = (error: ChatError) => void
