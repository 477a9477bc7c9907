import { isToolPart, type Message, type MessagePart } from '../message/message.ts'

/** The parts of each model call that a message is made of, in order; a call that left nothing is left out. */
export function stepsOf(parts: readonly MessagePart[]): MessagePart[][] {
  const steps: MessagePart[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)!.push(part)
  }
  return steps.filter(step => step.length > 0)
}

/** The last step of a message that is not finished, where the model had not come to a call: it is made again. */
export function isBrokenOff({ status }: Message, lastStep: readonly MessagePart[] | undefined): boolean {
  return status !== 'sent' && lastStep?.some(isToolPart) === false
}

/** A step in which the model was cut off before it came to a call. Where another step follows, it was made again. */
export function isCutShort(step: readonly MessagePart[]): boolean {
  if (step.some(isToolPart)) return false
  return step.some(part => (part.type === 'text' || part.type === 'reasoning') && part.state === 'aborted')
}

/** A step in which the model spoke and made no call. */
export function isAnswer(step: readonly MessagePart[] | undefined): boolean {
  if (step === undefined || step.some(isToolPart)) return false
  return step.some(part => part.type === 'text' && part.text.trim() !== '')
}
