import { pickAnswer } from '../message/approval-answer.ts'
import { isToolPart, type Message, type MessagePart } from '../message/message.ts'
import type { ProviderMetadata, ToolInvocation } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import { pause as letPass } from '../source/pause.ts'
import { toApprovalResponse } from './approval-response.ts'
import { type ArgotMetadata, argotMetadata, type Chunk, type LogLine, withArgotMetadata } from './chunk.ts'
import { type CallAnswer, chunkFacts } from './chunk-table.ts'
import { withoutResets } from './resets.ts'

export interface ReplayOptions {
  /** 1 is the original speed, 2 twice as fast, `Infinity` without waiting. */
  speed?: number
  signal?: AbortSignal
  /** For tests and time sliders. */
  pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** Milliseconds per piece of text when replaying a message without times. */
const PIECE_DELAY = 25
/** The longest wait in a replay, whatever the log says. */
const LONGEST_WAIT = 5000

/**
 * Replays a finished message, or a run's log, as it originally streamed. The chunks fold to the same message again.
 * From a log, steps that were reset are left out.
 */
export async function* replay(
  source: Message | Iterable<LogLine>,
  options: ReplayOptions = {},
): AsyncGenerator<Chunk, void, undefined> {
  const { speed = 1, signal, pause = letPass } = options
  let before: number | undefined
  for (const { t, chunk } of Symbol.iterator in source ? withoutResets(source) : toTimedLines(source)) {
    const delay = Math.min(t - (before ?? t), LONGEST_WAIT) / speed
    before = t
    if (delay > 0 && signal?.aborted !== true) await pause(delay, signal)
    if (signal?.aborted === true) return
    yield chunk
  }
}

/** The chunks fold to this message: text in words, input in pieces, each call with all its stages. */
export function messageToChunks(message: Message): Chunk[] {
  const chunks: Chunk[] = [
    {
      type: 'start',
      messageId: message.id,
      ...defined({ messageMetadata: message.metadata }),
    },
  ]
  let isStepOpen = false
  for (const part of message.parts) {
    if (part.type === 'step-start') {
      if (isStepOpen) chunks.push({ type: 'finish-step' })
      isStepOpen = true
    }
    pushPart(chunks, part)
  }
  if (message.status === 'error' && message.errorText !== undefined) {
    chunks.push({ type: 'error', errorText: message.errorText })
  }
  if (isStepOpen) chunks.push({ type: 'finish-step' })
  pushEnding(chunks, message)
  return chunks
}

function pushEnding(chunks: Chunk[], message: Message): void {
  const { id: messageId, finishReason, errorText } = message
  if (message.status === 'streaming') return
  if (message.status === 'cancelled') {
    chunks.push({ type: 'abort', messageId, ...defined({ reason: errorText }) })
  } else {
    chunks.push({ type: 'finish', messageId, ...defined({ finishReason }) })
  }
}

function pushPart(chunks: Chunk[], part: MessagePart): void {
  if (isToolPart(part)) return pushCall(chunks, part.toolInvocation, part.type === 'dynamic-tool')
  if (part.type === 'step-start') {
    chunks.push({ type: 'start-step' })
    return
  }
  if (part.type !== 'text' && part.type !== 'reasoning') {
    chunks.push({ ...part } as Chunk)
    return
  }
  const { type, id } = part
  const own: ArgotMetadata = {}
  if (part.type === 'text') {
    if (part.phase !== undefined && part.phase !== 'pending') own.phase = part.phase
    if (part.toolCallId !== undefined) own.toolCallId = part.toolCallId
  }
  if (part.state === 'aborted') own.state = 'aborted'
  const isPhaseEarly =
    own.phase !== undefined && argotMetadata(part)?.phase !== own.phase && own.toolCallId === undefined
  const before =
    isPhaseEarly || own.phase === 'remainder'
      ? { providerMetadata: withArgotMetadata(undefined, { phase: own.phase! }) }
      : {}
  if (isPhaseEarly) delete own.phase
  chunks.push({ type: `${type}-start`, id, ...before })
  for (const delta of splitWords(part.text)) chunks.push({ type: `${type}-delta`, id, delta })
  if (part.state !== 'streaming') chunks.push({ type: `${type}-end`, id, ...metadataField(part.providerMetadata, own) })
}

function pushCall(chunks: Chunk[], call: ToolInvocation, dynamic: boolean): void {
  const { toolCallId, toolName, state } = call
  const fields = {
    ...(dynamic && { dynamic }),
    ...defined({ title: call.title, providerExecuted: call.providerExecuted, toolMetadata: call.toolMetadata }),
  }
  chunks.push({
    type: 'tool-input-start',
    toolCallId,
    toolName,
    ...fields,
    ...metadataField(call.callProviderMetadata),
  })
  const isUnread = state === 'output-error' && call.rawInput !== undefined && call.approval === undefined
  if (isUnread && call.settledBy === undefined && call.input === undefined) {
    const { rawInput: input, errorText = '' } = call
    chunks.push({
      type: 'tool-input-error',
      toolCallId,
      toolName,
      input,
      errorText,
      ...metadataField(call.resultProviderMetadata),
    })
    return
  }
  if (isUnread && typeof call.rawInput === 'string') {
    for (const inputTextDelta of splitWords(call.rawInput))
      chunks.push({ type: 'tool-input-delta', toolCallId, inputTextDelta })
  } else {
    pushInput(chunks, call, fields)
  }
  pushResult(chunks, call)
}

function pushInput(chunks: Chunk[], call: ToolInvocation, fields: object): void {
  const { toolCallId, toolName, approval, state } = call
  const originalInput = approval !== undefined && call.rawInput !== undefined ? call.rawInput : call.input
  for (const inputTextDelta of splitWords(JSON.stringify(originalInput) ?? '')) {
    chunks.push({ type: 'tool-input-delta', toolCallId, inputTextDelta })
  }
  if (state === 'input-streaming') return
  const available = { type: 'tool-input-available', toolCallId, toolName, ...fields } as const
  chunks.push({ ...available, input: originalInput })
  if (approval === undefined) return
  const { id: approvalId, approved, signature, facts } = approval
  const request = { type: 'tool-approval-request', approvalId, toolCallId, toolName, input: originalInput } as const
  const providerMetadata = facts === undefined ? undefined : { argot: { facts } }
  chunks.push({ ...request, ...defined({ signature, providerMetadata }) })
  if (approved === undefined) return
  chunks.push(toApprovalResponse({ approvalId, toolCallId }, { approved, ...pickAnswer(approval) }))
  if (call.rawInput !== undefined) chunks.push({ ...available, input: call.input })
}

function pushResult(chunks: Chunk[], call: ToolInvocation): void {
  const { toolCallId, state, output, details, settledBy } = call
  const own: ArgotMetadata = {
    ...defined({ details, settledBy }),
  }
  const metadata = metadataField(call.resultProviderMetadata, own)
  if (state === 'output-error' && output !== undefined) {
    chunks.push({ type: 'tool-output-available', toolCallId, output, preliminary: true })
  }
  if (state === 'output-available') {
    const preliminary = call.preliminary === true ? { preliminary: true } : {}
    chunks.push({ type: 'tool-output-available', toolCallId, output, ...preliminary, ...metadata })
  } else if (state === 'output-error') {
    chunks.push({ type: 'tool-output-error', toolCallId, errorText: call.errorText ?? '', ...metadata })
  } else if (state === 'output-denied') {
    const reason = call.approval?.reason === undefined ? {} : { reason: call.approval.reason }
    chunks.push({ type: 'tool-output-denied', toolCallId, ...reason })
  }
}

function metadataField(
  metadata: ProviderMetadata | undefined,
  own?: ArgotMetadata,
): { providerMetadata?: ProviderMetadata } {
  if (own !== undefined && Object.keys(own).length > 0) return { providerMetadata: withArgotMetadata(metadata, own) }
  return metadata === undefined ? {} : { providerMetadata: metadata }
}

/** Each word includes the spaces after it. */
function splitWords(text: string): string[] {
  return text.match(/\S*\s*/g)?.filter(word => word !== '') ?? []
}

/** Tools take as long as they originally took; text comes word by word. */
function toTimedLines(message: Message): LogLine[] {
  const durations = new Map<string, number>()
  for (const part of message.parts) {
    if (!isToolPart(part)) continue
    const { toolCallId, startedAt, endedAt } = part.toolInvocation
    if (startedAt !== undefined && endedAt !== undefined) durations.set(toolCallId, endedAt - startedAt)
  }
  let t = 0
  return messageToChunks(message).map((chunk, o) => {
    const facts = chunkFacts(chunk)
    if (facts.does === 'grows') t += PIECE_DELAY
    else if (facts.does === 'settles' && facts.answers === true)
      t += durations.get((chunk as CallAnswer).toolCallId) ?? PIECE_DELAY
    return { o, t, chunk }
  })
}
