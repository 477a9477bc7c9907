import { isToolPart, type Message, type MessagePart, type Role, type TextPart } from '../message/message.ts'
import { isSettled, type ToolInvocation, type ToolState } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import type { FlatChatMessage, FlatToolCall, ToolActivity } from './flat-chat-message.ts'
import { contentWithoutCommentary, type StoredChatMessage, storedCalls, storedTime } from './stored-message.ts'

/** The records of this process: their content is the answer, whatever it says. */
const made: WeakSet<object> = new WeakSet()

/** The message as one record. Text that was cut off by a stop counts as part of the answer. */
export function toChatMessage(message: Message): FlatChatMessage {
  const flat: FlatChatMessage = {
    id: message.id,
    role: flatRole(message.role),
    content: finalText(message.parts),
    createdAt: new Date(storedTime(message as StoredChatMessage) ?? 0),
    toolActivity: toolActivity(message),
  }
  const calls = flatCalls(message.parts)
  if (calls.length > 0) flat.toolCalls = calls
  made.add(flat)
  return flat
}

/** Whether the message is still being made, and which tool runs. A message without the field is complete. */
export function toolActivity(message: Message | StoredChatMessage): ToolActivity {
  if (!('parts' in message)) return message.toolActivity ?? { isActive: false }
  if (message.status !== 'streaming') return { isActive: false }
  const running = message.parts.findLast(part => isToolPart(part) && !isSettled(part.toolInvocation))
  if (running === undefined || !isToolPart(running)) return { isActive: true }
  return { isActive: true, currentStep: running.toolInvocation.toolName }
}

/** The text to show as the answer. Commentary that stored records hold in their content is taken out. */
export function getMessageText(message: Message | StoredChatMessage): string {
  if ('parts' in message) return finalText(message.parts)
  return made.has(message) ? (message as FlatChatMessage).content : contentWithoutCommentary(message)
}

/** Reads a stored record. A call that was never answered is settled: nobody waits for it any more. */
export function fromChatMessage(flat: StoredChatMessage): Message {
  const active = flat.toolActivity?.isActive === true
  const parts: MessagePart[] = []
  const keys = new Map<string, number>()
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

function flatRole(role: Role): FlatChatMessage['role'] {
  return role === 'developer' || role === 'tool' ? 'system' : role
}

/**
 * The answer; and commentary in a step without a call, which nobody else would own. A step that broke off without a call
 * and was made again has no part in it.
 */
function finalText(parts: readonly MessagePart[]): string {
  let text = ''
  let answer = ''
  let unowned = ''
  let calls = false
  let isBroken = false
  const endStep = (isLast: boolean): void => {
    if (calls || !isBroken || isLast) text += calls ? answer : answer + unowned
    answer = ''
    unowned = ''
    calls = false
    isBroken = false
  }
  for (const part of parts) {
    if (part.type === 'step-start') endStep(false)
    else if (isToolPart(part)) calls = true
    else if (part.type === 'text') {
      if (isAnswer(part)) answer += part.text
      else if (part.phase === 'commentary') unowned += part.text
      isBroken ||= part.state === 'aborted'
    }
  }
  endStep(true)
  return text
}

function isAnswer(part: TextPart): boolean {
  return part.phase === undefined || part.phase === 'final' || (part.phase === 'pending' && part.state === 'aborted')
}

/** Each call owns the commentary before it; the last one of a step also the commentary after it. */
function flatCalls(parts: readonly MessagePart[]): FlatToolCall[] {
  const calls: FlatToolCall[] = []
  let texts = ''
  let last: FlatToolCall | undefined

  function giveToLast(): void {
    const after = texts.trim()
    if (last !== undefined && after !== '') {
      last.commentary = last.commentary === undefined ? after : `${last.commentary}\n\n${after}`
    }
    texts = ''
    last = undefined
  }

  for (const part of parts) {
    if (part.type === 'step-start') giveToLast()
    else if (part.type === 'text' && part.phase === 'commentary') texts += part.text
    else if (isToolPart(part)) {
      last = toFlatCall(part.toolInvocation, texts.trim())
      texts = ''
      calls.push(last)
    }
  }
  giveToLast()
  return calls
}

function toFlatCall(call: ToolInvocation, commentary: string): FlatToolCall {
  const flat: FlatToolCall = {
    id: call.toolCallId,
    name: call.toolName,
    args: toArguments(call.input),
    status: flatStatus(call),
  }
  if (call.output !== undefined) flat.result = call.output
  if (call.state === 'output-denied') flat.error = call.approval?.reason ?? 'The call was denied.'
  else if (call.errorText !== undefined) flat.error = call.errorText
  if (commentary !== '') flat.commentary = commentary
  return flat
}

function toArguments(input: unknown): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Record<string, unknown>
  return input === undefined ? {} : { input }
}

function flatStatus(call: ToolInvocation): FlatToolCall['status'] {
  switch (call.state) {
    case 'input-streaming':
    case 'approval-requested':
      return 'pending'
    case 'input-available':
    case 'approval-responded':
      return 'running'
    case 'output-available':
      return call.preliminary === true ? 'running' : 'completed'
    case 'output-error':
    case 'output-denied':
      return 'error'
  }
}

/** A record that does not say how its call ended has a call that ended as its result or its error says. */
function storedStatus({ status, result, error }: Partial<FlatToolCall>): FlatToolCall['status'] {
  if (status !== undefined && Object.hasOwn(flatStates, status)) return status
  if (typeof error === 'string') return 'error'
  return result === undefined ? 'running' : 'completed'
}

function toInvocation(call: Partial<FlatToolCall>, active: boolean, keys: Map<string, number>): ToolInvocation {
  const status = storedStatus(call)
  const waiting = status === 'pending' || status === 'running'
  const toolCallId = typeof call.id === 'string' ? call.id : `call-${keys.size + 1}`
  const count = (keys.get(toolCallId) ?? 0) + 1
  keys.set(toolCallId, count)
  const invocation: ToolInvocation = {
    key: count === 1 ? toolCallId : `${toolCallId}#${count}`,
    toolCallId,
    toolName: typeof call.name === 'string' ? call.name : 'unknown',
    state: waiting && !active ? 'output-error' : flatStates[status],
    input: call.args ?? {},
  }
  if (call.result !== undefined) invocation.output = call.result
  if (typeof call.error === 'string') invocation.errorText = call.error
  if (waiting && !active) {
    invocation.settledBy = 'end'
    invocation.errorText ??= 'The run ended before this call finished.'
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
