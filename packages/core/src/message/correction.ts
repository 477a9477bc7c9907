import { isRecord } from '../source/is-record.ts'
import { type DataPart, isToolPart, type MessagePart } from './message.ts'

/** The type of the part with which Argot corrects a model in the middle of a run. */
export const correctionType = 'data-argot-correction'

/**
 * Argot's words to the model after a step in which it only showed a call: the next step answers them. They are part of the
 * assistant's message, so that the message can be sent again as it was; in a document they are a `<developer>` element.
 */
export interface CorrectionPart extends DataPart {
  type: typeof correctionType
  data: { text: string; toolName?: string }
}

export function isCorrection(part: MessagePart): part is CorrectionPart {
  return part.type === correctionType && 'data' in part && isRecord(part.data) && typeof part.data.text === 'string'
}

/** True for a part after which the model is asked again: its step is not the answer. */
export function asksForMore(part: MessagePart): boolean {
  return isToolPart(part) || isCorrection(part)
}
