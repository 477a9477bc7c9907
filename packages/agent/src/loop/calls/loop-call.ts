import type { ApprovalCheck } from '@argot/core/stream/internal'
import type { ApprovalAnswer } from '../../approval/approval.ts'

/** A call whose input is complete. */
export interface LoopCall {
  toolCallId: string
  /** Its key in the message: models use ids again. */
  key: string
  toolName: string
  input: unknown
  title?: string | undefined
  /** When the model began to write it, where that was before this run. */
  startedAt?: number | undefined
  /** The process died while it ran: it is run again only when a person says so. */
  interrupted?: boolean | undefined
  /** A person gave this input before the process died; the document shows what the model wrote. */
  edited?: boolean | undefined
  /** What the model wrote, if `edited`. */
  written?: unknown
  /** A person was asked before the process died: the question is already known under this id. */
  approvalId?: string | undefined
  /** It is in the document, and no model of this user is known to have made it: it always needs a yes. */
  foreign?: boolean | undefined
  /** A person answered before this run, under `approvalId`. */
  answer?: ApprovalAnswer | undefined
  /** How the files were when the person was asked, before this run. */
  check?: ApprovalCheck | undefined
  /** The log has the answer. */
  isRecorded?: boolean | undefined
  /** It is written inside the model's reasoning. */
  inReasoning?: boolean | undefined
  /** Why it needs a yes whatever the policy says. */
  mustAsk?: string | undefined
}
