import type { ApprovalAnswer } from '@argot/agent'
import type { LoggedAnswer } from './run-summary.ts'

/** What became of an answer. */
export interface AnswerResult {
  approvalId: string
  /** 200: it counts; 409: another one came first, or the input is another one; 410: nobody waits for it any more. */
  status: 200 | 409 | 410
  answer?: LoggedAnswer
  message?: string
}

/** An answer as somebody gives it, with the hash of the input that they were shown. */
export interface GivenAnswer extends Omit<ApprovalAnswer, 'by'> {
  approvalId: string
  inputHash: string
}
