import { type ApprovalAnswer, answerFields, pickDecision, pickNotes } from '../message/approval-answer.ts'
import { defined } from '../source/defined.ts'
import { argotMetadata, type ToolApprovalResponse } from './chunk.ts'

/** The decision is in the chunk's fields, the notes about it in its metadata. */
export function toApprovalResponse(
  ids: Pick<ToolApprovalResponse, 'approvalId' | 'toolCallId'>,
  answer: ApprovalAnswer,
): ToolApprovalResponse {
  const notes = pickNotes(answer)
  const providerMetadata = Object.keys(notes).length === 0 ? undefined : { argot: { ...notes } }
  return { type: 'tool-approval-response', ...ids, ...pickDecision(answer), ...defined({ providerMetadata }) }
}

/** Removes false flags, which mean nothing. */
export function toApprovalAnswer(chunk: ToolApprovalResponse): ApprovalAnswer {
  const answer: ApprovalAnswer = { ...pickDecision(chunk), ...pickNotes(argotMetadata(chunk) ?? {}) }
  for (const { name, kind } of answerFields) if (kind === 'flag' && answer[name] === false) delete answer[name]
  return answer
}
