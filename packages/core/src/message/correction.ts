import { isRecord } from '../source/is-record.ts'
import { type DataPart, isToolPart, type MessagePart } from './message.ts'

export const correctionType = 'data-argot-correction'

/**
 * Argot's message to the model after a step in which it only showed a call. The next step answers it. It is part of the
 * assistant's message, so that the message can be sent again unchanged. In a document it is a `<developer>` element.
 */
export interface CorrectionPart extends DataPart {
  type: typeof correctionType
  data: { text: string; toolName?: string }
}

export function isCorrection(part: MessagePart): part is CorrectionPart {
  return part.type === correctionType && 'data' in part && isRecord(part.data) && typeof part.data.text === 'string'
}

/** After such a part the model gets another step, so its own step is not the answer. */
export function asksForMore(part: MessagePart): boolean {
  return isToolPart(part) || isCorrection(part)
}
