import { createHash } from 'node:crypto'
import { type StoredLog, stateAfter, stepMark } from '@argot/agent'
import { type Chunk, defined, type LogLine } from 'argot'

/** What is asked of a person, with the hash that an answer must name. */
export interface PendingApproval {
  approvalId: string
  toolCallId: string
  toolName: string
  input: unknown
  inputHash: string
}

/** A call that is open and asks nobody: of a run that waits, one whose tool runs in the client. */
export interface OpenCall {
  toolCallId: string
  toolName: string
  input: unknown
}

/** An answer that the log has. */
export interface LoggedAnswer {
  approved: boolean
  reason?: string
  by?: string
}

/** What a log says of its run. */
export interface RunSummary {
  startedAt: number
  endedAt?: number
  /** The offset of the next chunk. */
  offset: number
  steps: number
  usage: { inputTokens: number; outputTokens: number; totalTokens: number }
  messageId?: string
  finishReason?: string
  error?: string
  ending?: 'finish' | 'abort'
  /** The document has everything, and the run is parked or over. */
  isWritten: boolean
  pending: PendingApproval[]
  open: OpenCall[]
  /** The answers that counted, by approval id. */
  answers: Map<string, LoggedAnswer>
  /** The offsets at which the message was begun or continued. */
  starts: number[]
}

/** The hash of an input, as an answer names it. */
export function hashInput(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(input) ?? 'undefined')
    .digest('hex')
}

interface CallState {
  toolName: string
  input?: unknown
  isWhole: boolean
  isOver: boolean
  approvalId?: string
}

/** Reads a log once. */
export function summarize({ lines, next }: StoredLog): RunSummary {
  const calls = new Map<string, CallState>()
  const summary: RunSummary = {
    startedAt: lines[0]?.t ?? 0,
    offset: next,
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    isWritten: stateAfter(lines.at(-1)?.chunk) !== 'open',
    pending: [],
    open: [],
    answers: new Map(),
    starts: [],
  }
  for (const line of lines) {
    takeEnding(summary, line)
    takeCall(summary, calls, line.chunk)
  }
  for (const [toolCallId, call] of calls) {
    if (call.isOver || !call.isWhole) continue
    const { toolName, input, approvalId } = call
    if (approvalId === undefined) summary.open.push({ toolCallId, toolName, input })
    else summary.pending.push({ approvalId, toolCallId, toolName, input, inputHash: hashInput(input) })
  }
  return summary
}

function takeEnding(summary: RunSummary, { o, t, chunk }: LogLine): void {
  switch (chunk.type) {
    case 'start':
      if (chunk.messageId !== undefined) summary.messageId = chunk.messageId
      summary.starts.push(o)
      delete summary.ending
      delete summary.endedAt
      delete summary.finishReason
      return
    case 'finish':
      Object.assign(summary, defined({ finishReason: chunk.finishReason }), { ending: 'finish' })
      if (chunk.finishReason !== 'tool-calls') summary.endedAt = t
      return
    case 'abort':
      Object.assign(summary, { ending: 'abort', endedAt: t })
      return
    case 'error':
      summary.error = chunk.errorText
      return
    case stepMark:
      summary.steps++
      addUsage(summary, 'data' in chunk ? chunk.data : undefined)
      return
    default:
  }
}

function addUsage({ usage }: RunSummary, data: unknown): void {
  const given = (data as { usage?: Record<string, unknown> } | undefined)?.usage ?? {}
  for (const name of ['inputTokens', 'outputTokens', 'totalTokens'] as const) {
    const value = given[name]
    if (typeof value === 'number') usage[name] += value
  }
}

function takeCall(summary: RunSummary, calls: Map<string, CallState>, chunk: Chunk): void {
  switch (chunk.type) {
    case 'data-argot-sub': {
      const inner = 'data' in chunk ? (chunk.data as { toolCallId?: unknown; chunk?: Chunk }) : undefined
      if (inner?.chunk !== undefined && typeof inner.toolCallId === 'string') {
        takeCall(summary, calls, withinCall(inner.toolCallId, inner.chunk))
      }
      return
    }
    case 'reset-step':
      for (const [id, call] of calls) if (!call.isOver) calls.delete(id)
      return
    case 'tool-input-start':
      calls.set(chunk.toolCallId, { toolName: chunk.toolName, isWhole: false, isOver: false })
      return
    case 'tool-input-available':
      calls.set(chunk.toolCallId, {
        ...(calls.get(chunk.toolCallId) ?? { isOver: false }),
        toolName: chunk.toolName,
        input: chunk.input,
        isWhole: true,
      })
      return
    case 'tool-approval-request': {
      const call = calls.get(chunk.toolCallId)
      if (call !== undefined) call.approvalId = chunk.approvalId ?? chunk.toolCallId
      return
    }
    case 'tool-approval-response':
      return takeAnswer(summary, calls, chunk)
    case 'tool-output-available':
      if (chunk.preliminary !== true) settle(calls, chunk.toolCallId)
      return
    case 'tool-output-error':
    case 'tool-output-denied':
    case 'tool-input-error':
      return settle(calls, chunk.toolCallId)
    default:
  }
}

/** The calls of an agent inside a call have its id before their own, so that none of them meets a call of the run. */
function withinCall(outer: string, chunk: Chunk): Chunk {
  return 'toolCallId' in chunk && typeof chunk.toolCallId === 'string'
    ? ({ ...chunk, toolCallId: `${outer}/${chunk.toolCallId}` } as Chunk)
    : chunk
}

function takeAnswer(
  { answers }: RunSummary,
  calls: Map<string, CallState>,
  chunk: Extract<Chunk, { type: 'tool-approval-response' }>,
): void {
  const call = chunk.toolCallId === undefined ? undefined : calls.get(chunk.toolCallId)
  const approvalId = chunk.approvalId ?? chunk.toolCallId
  if (call?.approvalId === approvalId) delete call?.approvalId
  if (call !== undefined) call.isOver = true
  if (approvalId === undefined) return
  const by = (chunk.providerMetadata?.argot as { by?: unknown } | undefined)?.by
  const { approved, reason } = chunk
  answers.set(approvalId, { approved, ...defined({ reason, by: typeof by === 'string' ? by : undefined }) })
}

function settle(calls: Map<string, CallState>, toolCallId: string): void {
  const call = calls.get(toolCallId)
  if (call !== undefined) call.isOver = true
}
