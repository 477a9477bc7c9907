import type { UIMessage } from '@argot/core'
import type { ApprovalDecision } from '@argot/core/stream/internal'

/** Shapes that the routes use by name. Clients reach them through `Api` and `RunResource`. */

/** A call whose tool runs in the client. */
export interface WaitingCall {
  toolCallId: string
  toolName: string
  input?: unknown
}

/** A call that waits for approval, with the hash that an answer must include. */
export interface PendingApproval extends WaitingCall {
  approvalId: string
  inputHash: string
}

/** The server adds `by` and `at`. */
export interface AnswerBody extends ApprovalDecision {
  approvalId: string
  /** The hash of the input that the user saw. */
  inputHash: string
}

export type CallOutput = { toolCallId: string; output: unknown } | { toolCallId: string; errorText: string }

/** The body that the AI SDK's default transport sends. */
export interface ChatRequest {
  id: string
  messages: UIMessage[]
  trigger?: string
  messageId?: string
  /** What happens to a message while a run of the document is working; `queue` by default. */
  mode?: 'queue' | 'steer'
}
