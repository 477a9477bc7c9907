import { endsRun, hashInput, LoggedSpending, readEndUsage, type TailLine } from '@argot/agent/internal'
import type { Chunk } from '@argot/core'
import { argotMetadata, isInternalMark, type LogLine, toEnding } from '@argot/core/stream'
import {
  type ApprovalCheck,
  defined,
  pickAnswer,
  type ResetRange,
  ResetWatch,
  type StoredAnswer,
  stepMark,
  toApprovalAnswer,
} from '@argot/core/stream/internal'
import type { PendingApproval, WaitingCall } from '../api/bodies.ts'

export interface LogSummary {
  startedAt: number
  endedAt?: number
  offset: number
  /** The offset after the last chunk that readers see. */
  shown: number
  isOver: boolean
  /** A process of this user wrote the log. Anyone can put another log into a folder. */
  isOwn: boolean
  steps: number
  usage: { inputTokens: number; outputTokens: number; totalTokens: number; estimated?: true; cost?: number }
  messageId?: string
  /** Where each assistant message starts, oldest first. There are several if users joined in. */
  messageStarts: Map<string, number>
  finishReason?: string
  error?: string
  ending?: 'finish' | 'abort'
  pending: PendingApproval[]
  /**
   * Those of `pending` that end with the process that asks them: a nested agent asks, or the model hasn't finished the
   * step, which is taken back if the process dies.
   */
  fleeting: ReadonlySet<string>
  open: WaitingCall[]
  /** The accepted answers, by approval id. */
  answers: Map<string, StoredAnswer>
  /** The offsets at which the message started, or continued after waiting. Excludes restarts after a process died. */
  starts: number[]
  /**
   * The messages with which users joined the run, by id. The offset is that of the answering message, once it has
   * started.
   */
  joined: Map<string, number | undefined>
  /** A user has joined in, and the document may not have that message yet. */
  isJoining: boolean
  /** The state of the files at each question, by approval id. */
  checks: Map<string, ApprovalCheck>
  resets: readonly ResetRange[]
  /** The start of the model's unfinished step. If its process dies, the step is taken back. */
  openStep?: number
  /** A process died during the run, and another one continued it. */
  isContinued: boolean
}

/** A call that may need an action from outside. */
interface SummaryCall {
  toolName: string
  input?: unknown
  isWhole: boolean
  /** The open question about it, and what the user sees. */
  question?: { approvalId: string; input: unknown }
  isAnswered: boolean
  /** It has a result, so anything that comes for it now is too late. */
  isOver: boolean
  isNested: boolean
}

const newCall = { isWhole: false, isAnswered: false, isOver: false } as const

/** The type of the line with which a later process continues a run. */
const resumeMark = 'data-argot-resume'

export class SummaryFold {
  readonly #calls: Map<string, SummaryCall> = new Map()
  readonly #unfinished: Set<string> = new Set()
  #openStep: number | undefined
  readonly #resets: ResetWatch = new ResetWatch()
  readonly #spending: LoggedSpending = new LoggedSpending()
  #cost: number | undefined
  readonly #summary: LogSummary = {
    startedAt: 0,
    offset: 0,
    shown: 0,
    isOver: false,
    isOwn: false,
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    pending: [],
    fleeting: new Set(),
    open: [],
    answers: new Map(),
    starts: [],
    messageStarts: new Map(),
    joined: new Map(),
    isJoining: false,
    checks: new Map(),
    resets: [],
    isContinued: false,
  }

  get next(): number {
    return this.#summary.offset
  }

  /** A repeated line changes nothing. Questions only come from lines that this user wrote. */
  push(line: TailLine): void {
    const { o, t, chunk, isSigned } = line
    const summary = this.#summary
    if (o < summary.offset) return
    if (summary.offset === 0) summary.startedAt = t
    summary.offset = o + 1
    if (!isInternalMark(chunk)) summary.shown = o + 1
    summary.isOver ||= endsRun(chunk)
    this.#spending.push(chunk)
    this.#cost = readCost(chunk) ?? this.#cost
    summary.isOwn ||= isSigned
    takeEnding(summary, line)
    this.#takeStep(line)
    this.#resets.watch(chunk, o)
    if (chunk.type === resumeMark && summary.ending === undefined) summary.isContinued = true
    if (isSigned || chunk.type === 'tool-input-start') takeCall(summary, this.#calls, chunk)
  }

  #takeStep({ o, chunk }: LogLine): void {
    if (chunk.type === 'start-step') this.#openStep = o
    else if (this.#openStep === undefined) return
    else if (chunk.type === 'tool-input-start') this.#unfinished.add(chunk.toolCallId)
    else if (chunk.type === stepMark || chunk.type === 'finish-step' || chunk.type === 'reset-step') {
      this.#openStep = undefined
      this.#unfinished.clear()
    }
  }

  result(): LogSummary {
    const { inputTokens, outputTokens, totalTokens, estimated } = this.#spending.usage
    const fleeting = new Set<string>()
    const summary: LogSummary = {
      ...this.#summary,
      steps: this.#spending.steps,
      usage: { inputTokens, outputTokens, totalTokens, ...defined({ estimated, cost: this.#cost }) },
      answers: new Map(this.#summary.answers),
      starts: [...this.#summary.starts],
      messageStarts: new Map(this.#summary.messageStarts),
      joined: new Map(this.#summary.joined),
      checks: new Map(this.#summary.checks),
      resets: [...this.#resets.ranges],
      ...defined({ openStep: this.#openStep }),
      pending: [],
      fleeting,
      open: [],
    }
    for (const [toolCallId, call] of this.#calls) {
      const { toolName, input, question, isWhole, isAnswered, isOver, isNested } = call
      if (isOver) continue
      if ((isNested || this.#unfinished.has(toolCallId)) && question !== undefined) fleeting.add(question.approvalId)
      if (question !== undefined) {
        summary.pending.push({ ...question, toolCallId, toolName, inputHash: hashInput(question.input) })
      } else if (isWhole && !isAnswered) summary.open.push({ toolCallId, toolName, input })
    }
    return summary
  }
}

/** Undefined unless the chunk ends the run and a price is known. */
function readCost(chunk: Chunk): number | undefined {
  const { cost } = (readEndUsage(chunk) ?? {}) as { cost?: unknown }
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined
}

function takeEnding(summary: LogSummary, { o, t, chunk }: LogLine): void {
  switch (chunk.type) {
    case 'user-message':
      summary.joined.set(chunk.messageId, undefined)
      summary.isJoining = true
      return
    case 'start-step':
      summary.isJoining = false
      return
    case 'start':
      if (chunk.messageId !== undefined && chunk.messageId !== summary.messageId) {
        summary.messageId = chunk.messageId
        summary.messageStarts.set(chunk.messageId, o)
      }
      for (const [id, start] of summary.joined) if (start === undefined) summary.joined.set(id, o)
      if (summary.starts.length === 0 || summary.ending !== undefined) summary.starts.push(o)
      delete summary.ending
      delete summary.endedAt
      delete summary.finishReason
      delete summary.error
      return
    case 'finish':
      Object.assign(summary, defined({ finishReason: chunk.finishReason }), { ending: 'finish' })
      if (toEnding(chunk) === 'ended') summary.endedAt = t
      return
    case 'abort':
      Object.assign(summary, { ending: 'abort', endedAt: t })
      return
    case 'error':
      summary.error = chunk.errorText
      return
    default:
  }
}

function takeCall(summary: LogSummary, calls: Map<string, SummaryCall>, chunk: Chunk, isNested = false): void {
  switch (chunk.type) {
    case 'data-argot-sub': {
      const inner = 'data' in chunk ? (chunk.data as { toolCallId?: unknown; chunk?: Chunk }) : undefined
      if (inner?.chunk !== undefined && typeof inner.toolCallId === 'string') {
        takeCall(summary, calls, withinCall(inner.toolCallId, inner.chunk), true)
      }
      return
    }
    case resumeMark:
      // Questions of nested agents ended with the process that asked them.
      for (const [id, call] of calls) if (call.isNested) calls.delete(id)
      return
    case 'reset-step':
      for (const [id, call] of calls) if (!call.isOver && (call.isNested || !isNested)) calls.delete(id)
      return
    case 'tool-input-start':
      if (chunk.known === true && calls.has(chunk.toolCallId)) return
      calls.set(chunk.toolCallId, { ...newCall, toolName: chunk.toolName, isNested })
      return
    case 'tool-input-available':
      return takeInput(calls, chunk, isNested)
    case 'tool-approval-request':
      return takeQuestion(summary, calls, chunk, isNested)
    case 'tool-approval-response':
      return takeAnswer(summary, calls, chunk)
    case 'tool-output-available':
      if (chunk.preliminary !== true) end(calls, chunk.toolCallId)
      return
    case 'tool-output-error':
    case 'tool-output-denied':
    case 'tool-input-error':
      return end(calls, chunk.toolCallId)
    default:
  }
}

function takeInput(
  calls: Map<string, SummaryCall>,
  chunk: Extract<Chunk, { type: 'tool-input-available' }>,
  isNested: boolean,
): void {
  const { toolCallId, toolName, input } = chunk
  const call = calls.get(toolCallId)
  if (call?.isOver === true) return
  calls.set(toolCallId, { ...newCall, isNested, ...call, toolName, input, isWhole: true })
}

/** Ignores a question that was already answered. */
function takeQuestion(
  { answers, checks }: LogSummary,
  calls: Map<string, SummaryCall>,
  chunk: Extract<Chunk, { type: 'tool-approval-request' }>,
  isNested: boolean,
): void {
  const { toolCallId, toolName, approvalId = toolCallId } = chunk
  const call = calls.get(toolCallId)
  const name = call?.toolName ?? toolName
  if (answers.has(approvalId) || name === undefined || call?.isOver === true) return
  const input = chunk.input === undefined ? call?.input : chunk.input
  const { check } = argotMetadata(chunk)?.facts ?? {}
  if (check !== undefined) checks.set(approvalId, check)
  calls.set(toolCallId, {
    ...newCall,
    isNested,
    isWhole: true,
    input,
    ...call,
    toolName: name,
    question: { approvalId, input },
    isAnswered: false,
  })
}

/**
 * Prefixes the ids of a nested agent's calls with the outer call's id, so that they can't collide with the run's calls.
 */
function withinCall(outer: string, chunk: Chunk): Chunk {
  return 'toolCallId' in chunk && typeof chunk.toolCallId === 'string'
    ? ({ ...chunk, toolCallId: `${outer}/${chunk.toolCallId}` } as Chunk)
    : chunk
}

function takeAnswer(
  { answers }: LogSummary,
  calls: Map<string, SummaryCall>,
  chunk: Extract<Chunk, { type: 'tool-approval-response' }>,
): void {
  const { toolCallId, approvalId = toolCallId } = chunk
  const call = toolCallId === undefined ? undefined : calls.get(toolCallId)
  if (call?.question !== undefined && call.question.approvalId === approvalId) {
    delete call.question
    call.isAnswered = true
  }
  if (approvalId === undefined) return
  answers.set(approvalId, pickAnswer(toApprovalAnswer(chunk)))
}

/** The input of a finished call is no longer needed. */
function end(calls: Map<string, SummaryCall>, toolCallId: string): void {
  const call = calls.get(toolCallId)
  if (call === undefined) return
  call.isOver = true
  delete call.input
  delete call.question
}
