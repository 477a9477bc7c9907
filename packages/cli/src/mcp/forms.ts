import type { ApprovalAnswer, ApprovalRequest } from '@argot/agent'
import type { ClientOutput } from '@argot/agent/internal'
import { visibleText } from '@argot/core/stream'
import { isRecord } from '@argot/core/stream/internal'
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'
import { approvalHead } from '../ask/approval-words.ts'
import { describeWhole } from '../ask/describe-call.ts'
import type { UserQuestion } from '../ask/read-question.ts'

export type Form = Omit<ElicitRequestFormParams, 'mode'>

/** Longer forms can't be judged, so the call is refused. */
const LONGEST_FORM = 64 * 1024
const LONGEST_REASON = 2000
/** The client wraps lines itself. */
const WIDE = 1_000_000

/** Asks whether a call may run, with all of its details. Undefined if they are too long. */
export function approvalForm(request: ApprovalRequest): Form | undefined {
  const sections = describeWhole(request).map(({ text }) => text)
  const [first = '', ...lines] = approvalHead(request, { columns: WIDE, isSmall: false })
  const message = [first.replace(/^\? /, ''), ...lines, '', ...sections].join('\n')
  if (message.length > LONGEST_FORM) return undefined
  return {
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        approve: { type: 'boolean', title: 'Run it?', default: false },
        reason: { type: 'string', title: 'If not, why? The model will see this.', maxLength: LONGEST_REASON },
      },
      required: ['approve'],
    },
  }
}

/** Only an accepted form with `approve: true` is a yes. */
export function readApproval(response: unknown): ApprovalAnswer {
  const content = acceptedContent(response)
  if (content?.approve === true) return { approved: true }
  const reason = typeof content?.reason === 'string' ? content.reason.trim().slice(0, LONGEST_REASON) : ''
  return { approved: false, ...(reason !== '' && { reason }) }
}

/** The question of `ask_user`. Users can choose an option or answer something else. */
export function questionForm({ question, options }: UserQuestion): Form {
  const answer = { type: 'string', title: options.length === 0 ? 'Answer' : 'Another answer' } as const
  const choice = { type: 'string', title: 'Answer', enum: options } as const
  return {
    message: visibleText(question).slice(0, LONGEST_FORM),
    requestedSchema:
      options.length === 0
        ? { type: 'object', properties: { answer }, required: ['answer'] }
        : { type: 'object', properties: { choice, answer } },
  }
}

export function readAnswer(response: unknown): ClientOutput {
  const content = acceptedContent(response)
  const texts = [content?.answer, content?.choice].filter(one => typeof one === 'string')
  const text = texts.find(one => one.trim() !== '')
  return text === undefined ? { errorText: 'The user did not answer the question.' } : { output: text }
}

function acceptedContent(response: unknown): Record<string, unknown> | undefined {
  if (!isRecord(response) || response.action !== 'accept' || !isRecord(response.content)) return undefined
  return response.content
}
