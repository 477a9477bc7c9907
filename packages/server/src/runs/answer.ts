import type { ApprovalAnswer, ApprovalDecision } from 'argot/stream'

/** What became of an answer. */
export interface AnswerResult {
  approvalId: string
  /** 200: it counts; 409: another one came first, or the input is another one; 410: nobody waits for it any more. */
  status: 200 | 409 | 410
  answer?: ApprovalAnswer
  message?: string
}

/** An answer as a client gives it, with the hash of the input that it showed. */
export interface GivenAnswer extends ApprovalDecision {
  approvalId: string
  inputHash: string
}
