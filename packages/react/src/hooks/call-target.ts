import type { MessagePart, Role, ToolPart } from '@argot/core'
import type { ApprovalDecision, MessageStatus } from '@argot/core/stream/internal'
import type { CallAnswerInput, CallUi } from '../store/call-ui.ts'
import type { Subscribable } from '../store/topic.ts'
import type { ChatApprovalCheck } from '../types/index.ts'

/** A call outside any chat. Its part may be Argot's, MUI X Chat's or the AI SDK's. */
export interface StandaloneCall {
  part: object
  /** Its message, for policies and clocks. */
  message?: { role?: string | undefined; status?: string | undefined } | undefined
  /** Receives the answer to an approval. You can pass the AI SDK's function of this name. */
  addToolApprovalResponse?: ((input: ApprovalDecision & { id: string }) => unknown) | undefined
  addToolOutput?: ((input: { tool: string; toolCallId: string; output: unknown }) => unknown) | undefined
}

/** A call of the surrounding chat, by its key or by its position; or a standalone call. */
export type ToolCallTarget = { callKey: string } | { messageId: string; index: number } | StandaloneCall

export interface CallSource {
  callKey: string
  messageId: string | undefined
  scope: string | undefined
  part: ToolPart
  newest: Subscribable<MessagePart | undefined> | undefined
  role: Role
  status: MessageStatus
  ui: CallUi
  /** The call was approved and its run continues: no answer is needed any more. */
  hasBegun: boolean
  answer: ((answer: CallAnswerInput) => void) | undefined
  addOutput: ((output: unknown) => void) | undefined
  /** Checks a waiting call against the current files; undefined if that is not possible. */
  check?: ((signal: AbortSignal) => Promise<ChatApprovalCheck | undefined>) | undefined
  stop: (() => void) | undefined
}
