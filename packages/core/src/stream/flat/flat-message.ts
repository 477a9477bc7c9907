import { CallKeys } from '../../message/call-keys.ts'
import { isCorrection } from '../../message/correction.ts'
import { isToolPart, type Message, type MessagePart, type TextPart } from '../../message/message.ts'
import { isSettled, type ToolInvocation, type ToolState } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import { settlementTexts } from '../builder/settlement.ts'
import type { FlatChatMessage, FlatToolCall, ToolActivity } from './flat-chat-message.ts'
import { createFlatRecord, isOwnRecord } from './flat-record.ts'
import { FlatStep } from './flat-step.ts'
import { contentWithoutCommentary, type StoredChatMessage, storedCalls, storedTime } from './stored-message.ts'

/** Text cut off by a stop is part of the answer. */
export function toChatMessage(message: Message): FlatChatMessage {
  return createFlatRecord(message, finalText(message.parts), flatCalls(message.parts), toolActivity(message))
}

/** Whether the message is still being written, and which tool runs. A message without the field is complete. */
export function toolActivity(message: Message | StoredChatMessage): ToolActivity {
  if (!('parts' in message)) return message.toolActivity ?? { isActive: false }
  if (message.status !== 'streaming') return { isActive: false }
  const running = message.parts.findLast(part => isToolPart(part) && !isSettled(part.toolInvocation))
  if (running === undefined || !isToolPart(running)) return { isActive: true }
  return { isActive: true, currentStep: running.toolInvocation.toolName }
}

/** The text to show as the answer, without the commentary that stored records have in their content. */
export function getMessageText(message: Message | StoredChatMessage): string {
  if ('parts' in message) return finalText(message.parts)
  return isOwnRecord(message) ? (message as FlatChatMessage).content : contentWithoutCommentary(message)
}

/** Reads a stored record. A call that was never answered is settled, because nothing waits for it any more. */
export function fromChatMessage(flat: StoredChatMessage): Message {
  const active = flat.toolActivity?.isActive === true
  const parts: MessagePart[] = []
  const keys = new CallKeys()
  for (const stored of storedCalls(flat)) {
    const call = toInvocation(stored, active, keys)
    const { commentary } = stored
    if (typeof commentary === 'string' && commentary !== '')
      parts.push(textPart(`${call.key}-commentary`, commentary, 'commentary', call.toolCallId))
    parts.push({ type: 'tool', toolInvocation: call } as MessagePart)
  }
  const id = flat.id ?? 'message'
  const role = flat.role ?? 'assistant'
  const answer = getMessageText(flat)
  if (answer !== '') parts.push(textPart(`${id}-answer`, answer, role === 'assistant' ? 'final' : undefined))
  const status = active ? 'streaming' : 'sent'
  return { id, role, status, parts, ...defined({ createdAt: storedTime(flat) }) }
}

/** Includes commentary in a step without a call, which belongs to no call. */
function finalText(parts: readonly MessagePart[]): string {
  const steps = flatSteps(parts)
  return steps.map((step, index) => step.content(index === steps.length - 1)).join('')
}

/** Each call owns the commentary before it. The last call of a step also owns the commentary after it. */
function flatCalls(parts: readonly MessagePart[]): FlatToolCall[] {
  return flatSteps(parts).flatMap(step => step.allCalls())
}

function flatSteps(parts: readonly MessagePart[]): FlatStep[] {
  const steps = [new FlatStep()]
  for (const part of placeCorrected(parts)) {
    if (part.type === 'step-start') steps.push(new FlatStep())
    else steps.at(-1)!.add(part)
  }
  return steps
}

/** The text of a corrected step leads to the next call. If there is none, it stays with the answer. */
function placeCorrected(parts: readonly MessagePart[]): readonly MessagePart[] {
  const at = parts.findIndex(isCorrection)
  if (at < 0) return parts
  const start = parts.slice(0, at).findLastIndex(part => part.type === 'step-start') + 1
  const call = parts.findIndex((part, index) => index > at && isToolPart(part))
  const step = parts.slice(start, at)
  if (call >= 0) return [...parts.slice(0, start), ...parts.slice(at + 1, call), ...step, ...parts.slice(call)]
  const finalParts = step.map(part => (part.type === 'text' ? ({ ...part, phase: 'final' } as const) : part))
  return [...parts.slice(0, start), ...finalParts, ...parts.slice(at + 1)]
}

function storedStatus({ status, result, error }: Partial<FlatToolCall>): FlatToolCall['status'] {
  if (status !== undefined && Object.hasOwn(flatStates, status)) return status
  if (typeof error === 'string') return 'error'
  return result === undefined ? 'running' : 'completed'
}

function toInvocation(call: Partial<FlatToolCall>, active: boolean, keys: CallKeys): ToolInvocation {
  const status = storedStatus(call)
  const waiting = status === 'pending' || status === 'running'
  const toolCallId = typeof call.id === 'string' ? call.id : `call-${keys.uses.size + 1}`
  const invocation: ToolInvocation = {
    key: keys.take(toolCallId),
    toolCallId,
    toolName: typeof call.name === 'string' ? call.name : 'unknown',
    state: waiting && !active ? 'output-error' : flatStates[status],
    ...(call.rawArgs === undefined ? { input: call.args ?? {} } : { rawInput: call.rawArgs }),
  }
  if (call.result !== undefined) invocation.output = call.result
  if (typeof call.error === 'string') invocation.errorText = call.error
  if (waiting && !active) {
    invocation.settledBy = 'end'
    invocation.errorText ??= settlementTexts.finish
  }
  return invocation
}

const flatStates: Record<FlatToolCall['status'], ToolState> = {
  pending: 'input-available',
  running: 'input-available',
  completed: 'output-available',
  error: 'output-error',
}

function textPart(id: string, text: string, phase: TextPart['phase'], toolCallId?: string): TextPart {
  const part: TextPart = { type: 'text', id, text, state: 'done' }
  if (phase !== undefined) part.phase = phase
  if (toolCallId !== undefined) part.toolCallId = toolCallId
  return part
}
