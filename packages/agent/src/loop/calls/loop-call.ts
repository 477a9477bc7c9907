import type { ApprovalCheck } from '@argot/core/stream/internal'
import type { ApprovalAnswer } from '../../approval/approval.ts'

/** A call whose input is complete. */
export interface LoopCall {
  toolCallId: string
  /** Unique within the message, because models reuse ids. */
  key: string
  toolName: string
  input: unknown
  title?: string | undefined
  /** When the model began to write it, if that was before this run. */
  startedAt?: number | undefined
  /** The process died while it ran. It runs again only if a person approves. */
  interrupted?: boolean | undefined
  /** A person gave this input before the process died. The document shows the model's input. */
  edited?: boolean | undefined
  /** The model's input, if `edited`. */
  modelInput?: unknown
  /** The id of the question from before the process died. */
  approvalId?: string | undefined
  /** It is in the document without evidence that a model of this user made it, so it always needs approval. */
  foreign?: boolean | undefined
  /** A person answered before this run, under `approvalId`. */
  answer?: ApprovalAnswer | undefined
  /** The state of the files at the time of the question, before this run. */
  check?: ApprovalCheck | undefined
  /** The log has the answer. */
  isRecorded?: boolean | undefined
  inReasoning?: boolean | undefined
  mustAsk?: string | undefined
}
