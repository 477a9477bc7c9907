import { pickAnswer } from '../message/approval-answer.ts'
import { CallKeys } from '../message/call-keys.ts'
import { isToolPart, type Message, type MessagePart, type TextPart, type ToolPart } from '../message/message.ts'
import { checkOptionalMetadata, checkPart } from '../message/own-metadata.ts'
import type { ProviderMetadata, ToolApproval, ToolInvocation, ToolState } from '../message/tool-invocation.ts'
import { toolStates } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import { inspectPayload } from '../stream/builder/payload.ts'
import { type ArgotMetadata, argotMetadata, withArgotMetadata } from '../stream/chunk.ts'
import { readSignedId } from '../stream/wire/signed-id.ts'
import { withPhases } from '../stream/with-phases.ts'

export interface UIMessage {
  id: string
  role: 'system' | 'user' | 'assistant'
  metadata?: unknown
  parts: UIMessagePart[]
}

/** A call is `tool-NAME`, or `dynamic-tool` with its `toolName`. */
export interface UIMessagePart {
  type: string
  [field: string]: unknown
}

/** Fields that hold any value. If one is nested too deeply, its JSON text is kept; other fields are left out. */
const payloads: ReadonlySet<string> = new Set(['input', 'rawInput', 'output', 'data'])

/**
 * The message as the AI SDK's own client would have built it from the same stream. Data without a place in its shape is
 * in `providerMetadata.argot`; times and the status are left out.
 */
export function toUIMessage(message: Message): UIMessage {
  const ui: UIMessage = {
    id: message.id,
    role: message.role === 'assistant' || message.role === 'user' ? message.role : 'system',
    parts: message.parts.map(toUIPart),
  }
  if (message.metadata !== undefined) ui.metadata = message.metadata
  return ui
}

/**
 * Reads a message from the AI SDK or MUI X Chat, or one of ours that came over the network. Invalid parts are left out.
 * Texts without a phase get it from the commentary rule.
 */
export function fromUIMessage(ui: UIMessage): Message {
  const keys = new CallKeys()
  const { id, role, parts } = ui as Partial<UIMessage>
  const message: Message = {
    id: asText(id) ?? 'message',
    role: role === 'assistant' || role === 'system' ? role : 'user',
    status: 'sent',
    parts: (Array.isArray(parts) ? parts : []).filter(isPart).map((part, index) => fromUIPart(part, index, keys)),
  }
  const { metadata } = withinDepth({ metadata: ui.metadata })
  if (typeof metadata === 'object' && metadata !== null) message.metadata = metadata as Record<string, unknown>
  return ui.role === 'assistant' ? withPhases(message) : message
}

/** Messages also come over the network. */
function isPart(part: unknown): part is UIMessagePart {
  if (typeof part !== 'object' || part === null) return false
  const { type, url, mediaType } = part as { type?: unknown; url?: unknown; mediaType?: unknown }
  // A file without an address or a type can't be sent to any model.
  if (type === 'file') return typeof url === 'string' && typeof mediaType === 'string'
  return typeof type === 'string'
}

function toUIPart(part: MessagePart): UIMessagePart {
  if (isToolPart(part)) return toUITool(part)
  switch (part.type) {
    case 'text':
      return { ...textFields(part), ...defined({ providerMetadata: textMetadata(part) }) }
    case 'reasoning':
      return { ...textFields(part), id: part.id, ...defined({ providerMetadata: part.providerMetadata }) }
    default:
      return { ...part }
  }
}

function textFields(part: { type: string; text: string; state: TextPart['state'] }): UIMessagePart {
  return { type: part.type, text: part.text, state: part.state === 'streaming' ? 'streaming' : 'done' }
}

function textMetadata(part: TextPart): ProviderMetadata | undefined {
  const own: ArgotMetadata = {}
  if (part.phase !== undefined && part.phase !== 'pending') own.phase = part.phase
  if (part.toolCallId !== undefined) own.toolCallId = part.toolCallId
  if (part.state === 'aborted') own.state = 'aborted'
  return Object.keys(own).length === 0 ? part.providerMetadata : withArgotMetadata(part.providerMetadata, own)
}

function toUITool(part: ToolPart): UIMessagePart {
  const call: ToolInvocation = part.toolInvocation
  const dynamic = part.type === 'dynamic-tool'
  const isFailed = call.state === 'output-error'
  const isUnread = isFailed && call.input === undefined
  const broken = isUnread || (isFailed && !dynamic && call.approval === undefined)
  return {
    type: dynamic ? part.type : `tool-${call.toolName}`,
    ...(dynamic && { toolName: call.toolName }),
    toolCallId: call.toolCallId,
    state: call.state,
    ...defined({
      input: isUnread && dynamic ? call.rawInput : (call.input ?? (needsInput(call) ? null : undefined)),
      rawInput: broken && !dynamic ? call.rawInput : undefined,
      output: call.state === 'output-available' ? (call.output ?? null) : undefined,
      errorText: isFailed ? call.errorText : undefined,
      preliminary: call.state === 'output-available' ? call.preliminary : undefined,
      title: call.title,
      providerExecuted: call.providerExecuted,
      approval: hasPlaceForApproval(call) ? call.approval : undefined,
      toolMetadata: call.toolMetadata,
      callProviderMetadata: callMetadata(call, broken),
      resultProviderMetadata: resultMetadata(call),
    }),
  }
}

/**
 * The AI SDK has no other place for the input before a person's edit, or for the model's text of a broken dynamic call.
 */
function callMetadata(call: ToolInvocation, broken: boolean): ProviderMetadata | undefined {
  if (call.rawInput === undefined || broken) return call.callProviderMetadata
  return { ...call.callProviderMetadata, argot: { ...call.callProviderMetadata?.argot, rawInput: call.rawInput } }
}

function resultMetadata(call: ToolInvocation): ProviderMetadata | undefined {
  const own: ArgotMetadata = {}
  if (call.settledBy !== undefined) own.settledBy = call.settledBy
  if (call.details !== undefined) own.details = call.details
  if (call.approval !== undefined && !hasPlaceForApproval(call)) own.approval = call.approval
  return Object.keys(own).length === 0
    ? call.resultProviderMetadata
    : withArgotMetadata(call.resultProviderMetadata, own)
}

/** AI SDK messages need an input for every call whose input is complete, unless it failed. */
function needsInput({ state }: ToolInvocation): boolean {
  return state !== 'input-streaming' && state !== 'output-error'
}

/** AI SDK messages have an open or answered question, and with a result only the answer that led to it. */
function hasPlaceForApproval({ state, approval }: ToolInvocation): boolean {
  switch (state) {
    case 'approval-requested':
    case 'approval-responded':
      return true
    case 'output-denied':
      return approval?.approved === false
    case 'output-available':
    case 'output-error':
      return approval?.approved === true
    default:
      return false
  }
}

function fromUIPart(source: UIMessagePart, index: number, keys: CallKeys): MessagePart {
  const part = withinDepth(source)
  if (part.type === 'tool' || part.type === 'dynamic-tool' || part.type.startsWith('tool-')) {
    return fromUITool(part, keys)
  }
  if (part.type !== 'text' && part.type !== 'reasoning') return checkPart({ ...part } as unknown as MessagePart)
  const metadata = checkOptionalMetadata(part.providerMetadata as ProviderMetadata | undefined, 'text')
  const own = argotMetadata({ providerMetadata: metadata })
  const text = {
    type: part.type,
    id: typeof part.id === 'string' ? part.id : String(index),
    text: typeof part.text === 'string' ? part.text : '',
    state: own?.state === 'aborted' ? 'aborted' : part.state === 'streaming' ? 'streaming' : 'done',
    ...defined({ providerMetadata: metadata }),
  }
  if (part.type === 'reasoning') return text as MessagePart
  const phase = own?.phase ?? (text.state === 'done' ? undefined : 'pending')
  return { ...text, ...defined({ phase, toolCallId: own?.toolCallId }) } as MessagePart
}

function fromUITool(source: UIMessagePart, keys: CallKeys): MessagePart {
  const dynamic = source.type === 'dynamic-tool'
  const part = getCallFields(source)
  const toolCallId = String(part.toolCallId ?? '')
  const call = checkOptionalMetadata(part.callProviderMetadata as ProviderMetadata | undefined, 'call')
  const result = checkOptionalMetadata(part.resultProviderMetadata as ProviderMetadata | undefined, 'result')
  const own = result?.argot as ArgotMetadata | undefined
  const approval = toApproval(part.approval ?? own?.approval)
  const state = toState(part.state, approval, own)
  const toolInvocation: ToolInvocation = {
    key: keys.take(toolCallId),
    toolCallId,
    toolName: asText(part.toolName) ?? 'unknown',
    state,
    ...defined({
      input: part.input,
      rawInput: part.rawInput ?? call?.argot?.rawInput,
      output: part.output,
      details: own?.details ?? part.details,
      errorText: state === 'output-denied' ? undefined : asText(part.errorText),
      preliminary: part.preliminary as boolean | undefined,
      title: part.title as string | undefined,
      providerExecuted: part.providerExecuted as boolean | undefined,
      approval,
      settledBy: own?.settledBy ?? (part.settledBy as ToolInvocation['settledBy']),
      toolMetadata: part.toolMetadata as Record<string, unknown> | undefined,
      callProviderMetadata: call,
      resultProviderMetadata: result,
    }),
  }
  return { type: dynamic ? 'dynamic-tool' : 'tool', toolInvocation } as MessagePart
}

/** The AI SDK has a call's fields in the part itself; MUI X Chat and Argot have them in `toolInvocation`. */
function getCallFields(part: UIMessagePart): Record<string, unknown> {
  const { toolInvocation: call } = part
  if (typeof call !== 'object' || call === null) {
    return part.type.startsWith('tool-') ? { ...part, toolName: part.type.slice('tool-'.length) } : part
  }
  const { approval, approvalId, toolCallId } = call as Record<string, unknown>
  const id = typeof approvalId === 'string' ? readSignedId(approvalId) : { id: toolCallId }
  const isAsked = typeof approval === 'object' && approval !== null
  if (!isAsked && typeof approvalId !== 'string') return call as Record<string, unknown>
  return { ...call, approval: { ...id, ...(isAsked ? approval : {}) } }
}

/**
 * The state must fit the approval: an answer must be yes or no. A client that has no place for a denial stores it as an
 * error.
 */
function toState(value: unknown, approval: ToolApproval | undefined, own: ArgotMetadata | undefined): ToolState {
  const state = toolStates.has(value) ? (value as ToolState) : 'input-available'
  switch (state) {
    case 'approval-requested':
      return approval === undefined ? 'input-available' : state
    case 'approval-responded':
      if (approval === undefined) return 'input-available'
      return approval.approved === undefined ? 'approval-requested' : state
    case 'output-error':
      return own?.approval?.approved === false && own.settledBy === undefined ? 'output-denied' : state
    default:
      return state
  }
}

function toApproval(value: unknown): ToolApproval | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, signature }: { [Key in keyof ToolApproval]?: unknown } = value
  return typeof id === 'string' ? { id, ...pickAnswer(value), ...defined({ signature: asText(signature) }) } : undefined
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns the same object if no field is nested beyond the limit. */
function withinDepth<T extends object>(object: T): T {
  let changed = false
  const fields = Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
    const payload = typeof value === 'object' && value !== null ? inspectPayload(value) : undefined
    if (payload?.tooDeep !== true) return [[key, value]]
    changed = true
    return payloads.has(key) ? [[key, payload.value]] : []
  })
  return changed ? (Object.fromEntries(fields) as T) : object
}
