import { isToolPart, type Message, type MessagePart, type Role, type TextPart } from '../message/message.ts'
import { isSettled, type ToolInvocation, type ToolState } from '../message/tool-invocation.ts'

/** A message as one record: the final answer, and beside it the calls with the text that led to each. */
export interface FlatChatMessage {
  id: string
  role: 'user' | 'assistant' | 'system'
  /** The final answer only, without commentary. */
  content: string
  toolCalls?: FlatToolCall[]
  createdAt: Date
  toolActivity?: ToolActivity
}

export interface FlatToolCall {
  id: string
  name: string
  args: Record<string, unknown>
  result?: unknown
  status: 'pending' | 'running' | 'completed' | 'error'
  error?: string
  /** The text that led to this call, trimmed. */
  commentary?: string
}

/** What the message is busy with right now. */
export interface ToolActivity {
  isActive: boolean
  /** The name of the tool that runs. */
  currentStep?: string
}

/** The message as one record. Text that was cut off by a stop counts as part of the answer. */
export function toChatMessage(message: Message): FlatChatMessage {
  const flat: FlatChatMessage = {
    id: message.id,
    role: flatRole(message.role),
    content: finalText(message.parts),
    createdAt: new Date(message.createdAt ?? 0),
    toolActivity: toolActivity(message),
  }
  const calls = flatCalls(message.parts)
  if (calls.length > 0) flat.toolCalls = calls
  return flat
}

/** Whether the message is still being made, and which tool runs. A message without the field is complete. */
export function toolActivity(message: Message | FlatChatMessage): ToolActivity {
  if (!('parts' in message)) return message.toolActivity ?? { isActive: false }
  if (message.status !== 'streaming') return { isActive: false }
  const running = message.parts.findLast(part => isToolPart(part) && !isSettled(part.toolInvocation))
  if (running === undefined || !isToolPart(running)) return { isActive: true }
  return { isActive: true, currentStep: running.toolInvocation.toolName }
}

/**
 * The text to show as the answer. From records of an older kind, which have no `toolActivity` and may hold commentary
 * in their content, the first occurrence of each call's commentary is taken out, in order.
 */
export function getMessageText(message: Message | FlatChatMessage): string {
  if ('parts' in message) return finalText(message.parts)
  const { content, toolCalls } = message
  if (message.toolActivity !== undefined || toolCalls === undefined || toolCalls.length === 0) return content
  let text = content
  for (const { commentary } of toolCalls) {
    const at = commentary ? text.indexOf(commentary) : -1
    if (at !== -1) text = text.slice(0, at) + text.slice(at + commentary!.length)
  }
  return text.trim()
}

/** Reads a stored record. A call that was never answered is settled: nobody waits for it any more. */
export function fromChatMessage(flat: FlatChatMessage): Message {
  const active = flat.toolActivity?.isActive === true
  const parts: MessagePart[] = []
  for (const call of flat.toolCalls ?? []) {
    if (call.commentary !== undefined)
      parts.push(textPart(`${call.id}-commentary`, call.commentary, 'commentary', call.id))
    parts.push({ type: 'tool', toolInvocation: toInvocation(call, active) } as MessagePart)
  }
  const answer = getMessageText(flat)
  if (answer !== '') parts.push(textPart(`${flat.id}-answer`, answer, flat.role === 'assistant' ? 'final' : undefined))
  return {
    id: flat.id,
    role: flat.role,
    status: active ? 'streaming' : 'sent',
    parts,
    createdAt: new Date(flat.createdAt).toISOString(),
  }
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

function toInvocation(call: FlatToolCall, active: boolean): ToolInvocation {
  const waiting = call.status === 'pending' || call.status === 'running'
  const invocation: ToolInvocation = {
    key: call.id,
    toolCallId: call.id,
    toolName: call.name,
    state: waiting && !active ? 'output-error' : flatStates[call.status],
    input: call.args ?? {},
  }
  if (call.result !== undefined) invocation.output = call.result
  if (call.error !== undefined) invocation.errorText = call.error
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
