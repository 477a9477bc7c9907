import { isDeepStrictEqual } from 'node:util'
import { type Accumulator, accumulate, type Chunk, isToolPart, type Message, type ToolInvocation } from '@argot/core'
import { isSettled, type LogLine } from '@argot/core/stream'
import { summaryType } from '@argot/core/stream/internal'
import type { ChatOnToolCallPayload } from '@argot/core/types'
import { LoggedSpending, type RunSpending } from '../store/logged-spending.ts'
import { LoggedWindow } from '../store/logged-window.ts'
import { type RunBeginning, stepMark } from '../store/marks.ts'
import type { LoggedCall } from './logged-calls.ts'
import { nextMessageId } from './next-message-id.ts'
import { type RunElement, RunElements } from './run-elements.ts'
import { WatchedRun } from './watched-run.ts'

export interface RecoveredAnswer {
  toolName: string
  input: unknown
  output: unknown
  details?: unknown
}

/** Replays a log line by line. A run can continue it at any line. */
export class ReplayedRun {
  /** The fold's clock: the time of the last line. */
  readonly clock: { time: number } = { time: 0 }
  /** Set by the process that continues the run, to receive its calls. */
  onToolCall: ((payload: ChatOnToolCallPayload) => unknown) | undefined
  readonly fold: Accumulator = accumulate({
    now: () => this.clock.time,
    onToolCall: payload => this.onToolCall?.(payload),
  })
  readonly runElements: RunElements
  readonly elements: RunElement[] = []
  readonly #run: WatchedRun = new WatchedRun()
  readonly #beginning: RunBeginning
  readonly #spending: LoggedSpending = new LoggedSpending()
  readonly window: LoggedWindow = new LoggedWindow()
  hasSummary = false
  #answers: RecoveredAnswer[] = []
  readonly joinedMessageIds: Set<string> = new Set()
  resets = 0

  constructor(lines: Iterable<LogLine>, beginning: RunBeginning) {
    this.#beginning = beginning
    this.runElements = new RunElements(beginning.run, beginning.message)
    for (const line of lines) this.push(line)
  }

  push({ o, t, chunk }: LogLine): void {
    this.clock.time = t
    if (chunk.type === 'reset-step') {
      this.resets++
      this.#answers = [...collectAnswers(this.fold.message), ...this.#answers]
    } else if (chunk.type === stepMark) this.#answers = []
    else if (chunk.type === 'user-message') this.joinedMessageIds.add(chunk.messageId)
    this.fold.push(chunk)
    this.#run.watch(chunk, o)
    this.#spending.push(chunk)
    this.window.push(chunk)
    this.hasSummary ||= chunk.type === summaryType
    this.elements.push(...this.runElements.take(chunk, o, this.fold))
  }

  get isParked(): boolean {
    return this.#run.isParked
  }

  get ended(): boolean {
    return this.#run.ended
  }

  get closingChunks(): Chunk[] {
    return this.#run.closingChunks
  }

  /** The id of the message that the run is writing, or begins next. */
  get messageId(): string {
    const { message, messages } = this.fold
    if (message?.role === 'user') return nextMessageId(this.#beginning.run, messages)
    return message?.id ?? this.#beginning.message?.id ?? ''
  }

  get spending(): RunSpending {
    const { steps, usage, own, others } = this.#spending
    return { steps, usage, own, others }
  }

  /** The log's facts about an open call; undefined if it has no such call with this tool and input. */
  findCall({ toolCallId, toolName, input }: ToolInvocation): LoggedCall | undefined {
    const call = this.#run.calls.get(toolCallId)
    if (call === undefined || call.toolName !== toolName) return undefined
    const folded = openCalls(this.fold.message).find(one => one.toolCallId === toolCallId)
    const inputs = folded === undefined ? call.inputs : [...call.inputs, folded.input]
    return inputs.some(one => isDeepStrictEqual(one, input)) ? call : undefined
  }

  /** As in `LoggedCall.isStarted`. */
  get started(): ReadonlySet<string> {
    return this.#run.calls.started
  }

  get questionInputs(): ReadonlyMap<string, unknown> {
    return this.#run.calls.questionInputs
  }

  /** The ids of all questions to people. None of them may be reused. */
  get approvalIds(): ReadonlySet<string> {
    return this.#run.calls.approvalIds
  }

  /** The outputs of tools in steps that were reset, until the model has repeated the step. */
  get answers(): readonly RecoveredAnswer[] {
    return this.#answers
  }

  /** The document has everything up to this offset. */
  get written(): number {
    return this.#run.written
  }
}

function openCalls(message: Message | undefined): ToolInvocation[] {
  return (message?.parts ?? []).flatMap((part): ToolInvocation[] =>
    isToolPart(part) && !isSettled(part.toolInvocation) ? [part.toolInvocation] : [],
  )
}

function collectAnswers(message: Message | undefined): RecoveredAnswer[] {
  const parts = message?.parts ?? []
  const step = parts.slice(parts.findLastIndex(part => part.type === 'step-start') + 1)
  return step.flatMap((part): RecoveredAnswer[] => {
    const call: ToolInvocation | undefined = isToolPart(part) ? part.toolInvocation : undefined
    if (call?.state !== 'output-available' || !isSettled(call) || call.providerExecuted === true) return []
    const { toolName, input, output, details } = call
    return [details === undefined ? { toolName, input, output } : { toolName, input, output, details }]
  })
}
