import type { MessagePart, Role, ToolPart } from '@argot/core'
import type { ApprovalDecision, MessageStatus } from '@argot/core/stream/internal'
import type { CallAnswerInput, CallUi } from '../store/call-ui.ts'
import type { Followed } from '../store/topic.ts'
import type { ChatApprovalCheck } from '../types/index.ts'

/** A part of any message: one of ours, of MUI X Chat or of the AI SDK. */
export interface CallOnItsOwn {
  part: object
  /** The message that it is in, for policies and clocks. */
  message?: { role?: string | undefined; status?: string | undefined } | undefined
  /** Takes the answer to an approval; the AI SDK's function of this name will do. */
  addToolApprovalResponse?: ((input: ApprovalDecision & { id: string }) => unknown) | undefined
  addToolOutput?: ((input: { tool: string; toolCallId: string; output: unknown }) => unknown) | undefined
}

/** A call of the chat around the component, by its key or by its place; or one on its own. */
export type ToolCallTarget = { callKey: string } | { messageId: string; index: number } | CallOnItsOwn

/** A call as somebody follows it, and what can be done with it there. */
export interface CallSource {
  callKey: string
  messageId: string | undefined
  scope: string | undefined
  part: ToolPart
  newest: Followed<MessagePart | undefined> | undefined
  role: Role
  status: MessageStatus
  ui: CallUi
  /** The call was approved, and its run continues: nobody is asked any more. */
  hasBegun: boolean
  answer: ((answer: CallAnswerInput) => void) | undefined
  addOutput: ((output: unknown) => void) | undefined
  /** Checks a waiting call against the files as they are now; undefined where nobody can. */
  check?: ((signal: AbortSignal) => Promise<ChatApprovalCheck | undefined>) | undefined
  stop: (() => void) | undefined
}
