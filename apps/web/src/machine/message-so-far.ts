import { isToolPart, type Message, type MessagePart } from 'argot'
import { isSettled } from 'argot/stream'

/** A message as far as it can be continued: what was written, and the calls that are over. Undefined where that is nothing. */
export function messageSoFar({ id, role, parts }: Message): Message | undefined {
  const kept = parts.flatMap((part): MessagePart[] => {
    if (isToolPart(part)) return isSettled(part.toolInvocation) ? [part] : []
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ ...part, state: 'done' }]
    return part.type === 'reasoning' ? [{ ...part, state: 'done' }] : [part]
  })
  const isSaid = kept.some(({ type }) => type !== 'step-start')
  return isSaid ? { id, role, status: 'sent', parts: kept } : undefined
}
