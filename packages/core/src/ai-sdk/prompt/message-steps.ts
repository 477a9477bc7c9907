import { asksForMore } from '../../message/correction.ts'
import type { Message, MessagePart } from '../../message/message.ts'
import { isSummary } from '../../message/summary.ts'

/** The parts of each model call in a message, in order. Skips calls that left nothing. Summaries belong to no call. */
export function splitSteps(parts: readonly MessagePart[]): MessagePart[][] {
  const steps: MessagePart[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else if (!isSummary(part)) steps.at(-1)!.push(part)
  }
  return steps.filter(step => step.length > 0)
}

/** True if an unfinished message's last step has no call: the step is repeated. */
export function isBrokenOff(
  { status }: Pick<Message, 'status'>,
  lastStep: readonly MessagePart[] | undefined,
): boolean {
  return status !== 'sent' && lastStep?.some(asksForMore) === false
}

/**
 * The steps of an assistant's message that are sent to a model; `isLast`: no message follows. With `isCut`, the last
 * step is an answer that reached the token limit: it isn't repeated, and the model is asked to continue it.
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

/** The model was cut off before it reached a call. If another step follows, this one was repeated. */
export function isCutShort(step: readonly MessagePart[]): boolean {
  if (step.some(asksForMore)) return false
  return step.some(part => (part.type === 'text' || part.type === 'reasoning') && part.state === 'aborted')
}

export function isAnswer(step: readonly MessagePart[] = []): boolean {
  return !step.some(asksForMore) && step.some(part => part.type === 'text' && part.text.trim() !== '')
}
