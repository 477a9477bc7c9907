import { isToolPart, type Message, type ToolInvocation, type ToolPart } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { pickAnswer } from '@argot/core/stream/internal'
import type { ApprovalSigner } from '../approval/approval-signer.ts'
import type { VouchedCall } from '../loop/open-message.ts'

export interface AnswerChecks {
  /** Without it, the caller that provides the message vouches for its calls and answers. */
  signer?: ApprovalSigner | undefined
  /** True the first time that an answer is used. */
  claim: (id: string) => boolean | Promise<boolean>
}

/** A continued message, and what is known about each of its open calls. */
export interface CheckedMessage {
  message: Message
  origin: ReadonlyMap<ToolInvocation, VouchedCall>
}

const unsignedReason =
  "The question about this call has no valid signature, so Argot can't tell whether a model made the call in its current form."
const usedReason = 'The approval for this call was already used: the call ran, or was about to run.'

/** Reads the answers that people gave in a client. An invalid one is removed, which leads to a new question. */
export async function readAnswers(message: Message, checks: AnswerChecks): Promise<CheckedMessage> {
  const origin = new Map<ToolInvocation, VouchedCall>()
  const parts: Message['parts'][number][] = []
  for (const part of message.parts) {
    const call = isToolPart(part) ? (part.toolInvocation as ToolInvocation) : undefined
    if (call === undefined || isSettled(call) || call.providerExecuted === true) {
      parts.push(part)
      continue
    }
    const vouched = await vouch(call, message.id, checks)
    const checkedCall = vouched.mustAsk === undefined ? call : withoutApproval(call)
    origin.set(checkedCall, vouched)
    parts.push({ ...part, toolInvocation: checkedCall } as ToolPart)
  }
  return { message: { ...message, parts }, origin }
}

async function vouch(call: ToolInvocation, messageId: string, { signer, claim }: AnswerChecks): Promise<VouchedCall> {
  const { approval, state } = call
  const hasAnswer = state === 'approval-responded' && approval?.approved !== undefined
  // A denial runs nothing, so it needs no check.
  if (hasAnswer && approval.approved === false) return { answer: getAnswer(call) }
  if (signer !== undefined && !isSigned(call, signer)) return { foreign: true, mustAsk: unsignedReason }
  if (!hasAnswer) return {}
  const id = signer === undefined ? JSON.stringify([messageId, approval.id]) : approval.signature!
  return (await claim(id)) ? { answer: getAnswer(call) } : { mustAsk: usedReason }
}

function getAnswer({ approval }: ToolInvocation): VouchedCall['answer'] {
  return { approved: false, ...pickAnswer(approval!) }
}

function isSigned({ toolCallId, toolName, input, approval }: ToolInvocation, signer: ApprovalSigner): boolean {
  if (approval === undefined) return false
  return signer.isSigned({ approvalId: approval.id, toolCallId, toolName, input }, approval.signature)
}

function withoutApproval({ approval: _, ...call }: ToolInvocation): ToolInvocation {
  return { ...call, state: 'input-available' }
}
