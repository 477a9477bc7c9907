import type { MessagePart } from 'argot'

/** The parts of each model call that a message is made of, in order; a call that left nothing is left out. */
export function stepsOf(parts: readonly MessagePart[]): MessagePart[][] {
  const steps: MessagePart[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)!.push(part)
  }
  return steps.filter(step => step.length > 0)
}
