import { type Accumulator, accumulate, type Chunk, isToolPart, type Message, type ToolInvocation } from 'argot'
import { type FinishReason, isSettled, type LogLine, settledState } from 'argot/stream'
import type { ChatOnToolCallPayload } from 'argot/types'
import { LoggedSpending, type Spent } from '../store/logged-spending.ts'
import { type Beginning, markData, startedCall, stepMark, writtenMark } from '../store/marks.ts'
import { type RunElement, RunElements } from './run-elements.ts'

export interface KnownAnswer {
  toolName: string
  input: unknown
  output: unknown
  details?: unknown
}

const finishReasons: readonly FinishReason[] = ['stop', 'length', 'content-filter', 'tool-calls', 'other']

/** Reads a log as the run wrote it, line by line, and can be continued by a run at any line. */
export class ReplayedRun {
  /** The time that the fold is told: that of the last line. */
  readonly clock: { time: number } = { time: 0 }
  /** What whoever continues the run wants to hear about its calls. */
  onToolCall: ((payload: ChatOnToolCallPayload) => unknown) | undefined
  readonly fold: Accumulator = accumulate({
    now: () => this.clock.time,
    onToolCall: payload => this.onToolCall?.(payload),
  })
  readonly source: RunElements
  /** Everything that belongs in the document. */
  readonly elements: RunElement[] = []
  readonly #run: WatchedRun = new WatchedRun()
  readonly #beginning: Beginning
  readonly #spending: LoggedSpending = new LoggedSpending()
  #answers: KnownAnswer[] = []

  constructor(lines: Iterable<LogLine>, beginning: Beginning) {
    this.#beginning = beginning
    this.source = new RunElements(beginning.run, beginning.message)
    for (const line of lines) this.push(line)
  }

  push({ o, t, chunk }: LogLine): void {
    this.clock.time = t
    if (chunk.type === 'reset-step') this.#answers = [...answersOf(this.fold.message), ...this.#answers]
    else if (chunk.type === stepMark) this.#answers = []
    this.fold.push(chunk)
    this.#run.watch(chunk, o)
    this.#spending.push(chunk)
    this.elements.push(...this.source.take(chunk, o, this.fold))
  }

  /** It waits for an answer of somebody outside. */
  get isParked(): boolean {
    return this.#run.isParked
  }

  /** Nothing more comes. */
  get ended(): boolean {
    return this.#run.ended
  }

  /** What the run would have said next if it had only ended what it had begun. */
  get closing(): Chunk[] {
    return this.#run.closing
  }

  get messageId(): string {
    return this.fold.message?.id ?? this.#beginning.message?.id ?? ''
  }

  /** What the run has used so far. */
  get spent(): Spent {
    const { steps, usage } = this.#spending
    return { steps, usage }
  }

  /** Calls whose tool was started and has not answered. */
  get started(): ReadonlySet<string> {
    const open = openCalls(this.fold.message).map(call => call.toolCallId)
    return new Set(open.filter(id => this.#run.started.has(id)))
  }

  /** The inputs that a person gave to calls which have not answered. */
  get inputs(): ReadonlyMap<string, unknown> {
    return this.#run.inputs
  }

  /** What tools gave in steps that were taken back, until the model has made the step again. */
  get answers(): readonly KnownAnswer[] {
    return this.#answers
  }

  /** The open calls that a model of this run made, or that a person approved in it. */
  get made(): readonly ToolInvocation[] {
    return openCalls(this.fold.message).filter(call => this.#run.made.has(call.toolCallId))
  }

  /** The document has had everything up to this offset. */
  get written(): number {
    return this.#run.written
  }
}

/** Where a run is, as far as it matters once its process is gone. */
class WatchedRun {
  readonly started: Set<string> = new Set()
  readonly inputs: Map<string, unknown> = new Map()
  readonly made: Set<string> = new Set()
  ended = false
  written = -1
  isParked = false
  /** The model's part of the open step is over. */
  #isMarked = false
  #inStep = false
  /** The last step made a call. */
  #hasCalls = false
  /** Why the model ended the last step, if it did so without an error. */
  #finishReason: FinishReason | undefined

  /** What ends the open step, if there is one, and the run, if the model had no more to say. */
  get closing(): Chunk[] {
    if (this.ended || this.isParked) return []
    const step: Chunk[] = this.#inStep ? [{ type: this.#isMarked ? 'finish-step' : 'reset-step' }] : []
    const finishReason = this.#finishReason === 'tool-calls' ? 'stop' : this.#finishReason
    if (finishReason === undefined || this.#hasCalls) return step
    return [...step, { type: 'finish', finishReason }]
  }

  watch(chunk: Chunk, offset: number): void {
    switch (chunk.type) {
      case 'start':
        this.isParked = false
        return
      case 'start-step':
        return this.#startStep()
      case stepMark:
        this.#isMarked = true
        this.#finishReason = finishReasonOf(chunk)
        return
      case 'error':
        this.#isMarked = true
        return
      case 'finish-step':
      case 'reset-step':
        this.#inStep = false
        return
      case 'finish':
        this.isParked = chunk.finishReason === 'tool-calls'
        this.ended = !this.isParked
        return
      case 'abort':
        this.ended = true
        return
      case writtenMark:
        this.written = offset
        return
      default:
        this.#watchCall(chunk)
    }
  }

  #startStep(): void {
    this.#inStep = true
    this.#isMarked = false
    this.#hasCalls = false
    this.#finishReason = undefined
  }

  #watchCall(chunk: Chunk): void {
    switch (chunk.type) {
      case 'tool-approval-request':
        // A person who is asked again is asked about the input that they gave.
        this.inputs.set(chunk.toolCallId, chunk.input)
        return
      case 'tool-approval-response':
        if (!chunk.approved) return
        this.made.add(chunk.toolCallId)
        if (chunk.input !== undefined) this.inputs.set(chunk.toolCallId, chunk.input)
        return
      case 'tool-input-start':
      case 'tool-input-available':
        this.#hasCalls ||= chunk.providerExecuted !== true
        if (this.#inStep) this.made.add(chunk.toolCallId)
        return
      case 'tool-input-error':
        this.#hasCalls = true
        return this.#settle(chunk.toolCallId)
      default: {
        const id = startedCall(chunk)
        if (id !== undefined) this.started.add(id)
        if ('toolCallId' in chunk && settledState(chunk) !== undefined) this.#settle(chunk.toolCallId)
      }
    }
  }

  #settle(id: string): void {
    this.inputs.delete(id)
    this.started.delete(id)
  }
}

function finishReasonOf(chunk: Chunk): FinishReason | undefined {
  const { finishReason } = markData(chunk)
  return finishReasons.find(reason => reason === finishReason)
}

function openCalls(message: Message | undefined): ToolInvocation[] {
  return (message?.parts ?? []).flatMap((part): ToolInvocation[] =>
    isToolPart(part) && !isSettled(part.toolInvocation) ? [part.toolInvocation] : [],
  )
}

function answersOf(message: Message | undefined): KnownAnswer[] {
  const parts = message?.parts ?? []
  const step = parts.slice(parts.findLastIndex(part => part.type === 'step-start') + 1)
  return step.flatMap((part): KnownAnswer[] => {
    const call: ToolInvocation | undefined = isToolPart(part) ? part.toolInvocation : undefined
    if (call?.state !== 'output-available' || !isSettled(call) || call.providerExecuted === true) return []
    const { toolName, input, output, details } = call
    return [details === undefined ? { toolName, input, output } : { toolName, input, output, details }]
  })
}
