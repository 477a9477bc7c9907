import { ArgotError, isToolPart, type Message, type MessagePart } from '@argot/core'
import type { ExpandedMessage } from '@argot/core/chatmd/internal'
import { isSettled } from '@argot/core/stream'
import { isCorrection, isSummary } from '@argot/core/stream/internal'

/** Where a conversation continues: its messages, and the unfinished assistant message. */
export interface Continuation {
  history: Message[]
  continued?: Message | undefined
}

/**
 * Finds what to answer. A user message gets a new message as its answer. An assistant message continues if its last
 * step made calls, said nothing or was corrected, if one of its calls has no result, or if it broke off. `undefined`:
 * everything is answered.
 */
export function findContinuation(
  messages: readonly Pick<ExpandedMessage, 'message' | 'sent'>[],
): Continuation | undefined {
  const history = messages.filter(({ sent }) => sent).map(({ message }) => message)
  const last = history.at(-1)
  if (last === undefined) return undefined
  if (last.role !== 'assistant') return { history }
  if (!isUnfinished(last)) return undefined
  return { history: history.slice(0, -1), continued: last }
}

export function nothingToAnswer(messages: readonly Pick<ExpandedMessage, 'sent'>[]): ArgotError {
  const why = messages.some(({ sent }) => sent)
    ? 'the last message has already been answered'
    : 'the document has no message'
  const error = `Nothing to do: ${why}. Add a user message, or pass one with --input.`
  return new ArgotError('RUN_NOTHING_TO_ANSWER', error)
}

function isUnfinished(message: Message): boolean {
  if (hasOpenCalls(message)) return true
  const { status, finishReason, parts } = message
  if (status !== 'sent' || finishReason === 'length' || finishReason === 'content-filter') return true
  const step = lastStep(parts)
  return isEmpty(step) || step.some(part => isCorrection(part) || (isToolPart(part) && !isRunByProvider(part)))
}

function isEmpty(step: readonly MessagePart[]): boolean {
  return step.every(
    part => part.type === 'reasoning' || isSummary(part) || (part.type === 'text' && part.text.trim() === ''),
  )
}

function isRunByProvider(part: Extract<MessagePart, { type: 'tool' | 'dynamic-tool' }>): boolean {
  return part.toolInvocation.providerExecuted === true
}

function lastStep(parts: readonly MessagePart[]): readonly MessagePart[] {
  return parts.slice(parts.findLastIndex(part => part.type === 'step-start') + 1)
}

export function hasOpenCalls(message: Message): boolean {
  return message.parts.some(part => isToolPart(part) && !isRunByProvider(part) && !isSettled(part.toolInvocation))
}
