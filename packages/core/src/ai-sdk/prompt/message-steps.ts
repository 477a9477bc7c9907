import { asksForMore } from '../../message/correction.ts'
import type { Message, MessagePart } from '../../message/message.ts'
import { isSummary } from '../../message/summary.ts'

/** The parts of each model call that a message is made of, in order; a call that left nothing is left out. Summaries belong to none. */
export function splitSteps(parts: readonly MessagePart[]): MessagePart[][] {
  const steps: MessagePart[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else if (!isSummary(part)) steps.at(-1)!.push(part)
  }
  return steps.filter(step => step.length > 0)
}

/** The last step of a message that is not finished, where the model had not come to a call: it is made again. */
export function isBrokenOff(
  { status }: Pick<Message, 'status'>,
  lastStep: readonly MessagePart[] | undefined,
): boolean {
  return status !== 'sent' && lastStep?.some(asksForMore) === false
}

/**
 * The steps of a message of an assistant that a model is sent; `isLast` in its conversation. With `isCut` the last one
 * is an answer that reached the token limit: it is not made again, its rest is asked for.
 */
export function stepsToSend(
  message: Pick<Message, 'status' | 'parts'>,
  isLast: boolean,
  isCut = false,
): MessagePart[][] {
  const steps = splitSteps(message.parts).filter((step, at, all) => at === all.length - 1 || !isCutShort(step))
  const last = steps.at(-1)
  if (isLast && isBrokenOff(message, last) && !(isCut && isAnswer(last))) steps.pop()
  return steps
}

/** A step in which the model was cut off before it came to a call. Where another step follows, it was made again. */
export function isCutShort(step: readonly MessagePart[]): boolean {
  if (step.some(asksForMore)) return false
  return step.some(part => (part.type === 'text' || part.type === 'reasoning') && part.state === 'aborted')
}

/** A step in which the model spoke and made no call, and that was not corrected. */
export function isAnswer(step: readonly MessagePart[] = []): boolean {
  return !step.some(asksForMore) && step.some(part => part.type === 'text' && part.text.trim() !== '')
}
