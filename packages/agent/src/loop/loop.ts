import {
  type Accumulator,
  ArgotError,
  accumulate,
  type Chunk,
  Commentary,
  type ErrorCode,
  type FinishReason,
  type Message,
  OpenParts,
  type ToolDefinition,
  type ToolState,
} from 'argot'
import type { CallLimit, Syntax } from 'argot/syntax'
import type { Approvals } from '../approval/approvals.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import type { FetchFile } from '../resolver/fetch-file.ts'
import type { Tool } from '../tool/tool.ts'
import { stepMark, type Transcript } from '../transcript/transcript.ts'
import { callModel, type ModelEnd } from './call-model.ts'
import type { ChunkQueue } from './chunk-queue.ts'
import { countUse, type OpenMessage } from './open-message.ts'
import type { RecoveredAnswers } from './recovered-answers.ts'
import { RepeatedCalls } from './repeated-calls.ts'
import { Slots } from './slots.ts'
import { type Price, Spending } from './spending.ts'
import { type CallContext, type LoopCall, StepCalls } from './step-calls.ts'

/** Everything that one run of the loop needs; nothing here is looked up elsewhere. */
export interface LoopOptions {
  model: Model
  syntax: Syntax
  limit: CallLimit
  tools: ReadonlyMap<string, Tool>
  /** What was said before, without the message that the run goes on with. */
  messages: readonly Message[]
  /** The message of the assistant that the run goes on with; a new one where it is left out. */
  continued?: OpenMessage
  /** What tools gave in a step that died with its process and is made again. */
  answers?: RecoveredAnswers
  messageId: string
  settings: ModelSettings
  maxSteps: number
  /** Tokens, in and out, after which no further step is started. */
  maxTokens?: number
  price?: Price
  approvals: Approvals
  redact: (value: unknown) => unknown
  salvage?: readonly Syntax[]
  fetchFile?: FetchFile
  transcript?: Transcript
  /** Where the chunks go. */
  chunks: ChunkQueue
  signal: AbortSignal
  notice: (text: string) => void
  now: () => number
  /** Waits before a retry; ends early when the signal is aborted. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** How a run of the loop ended. */
export type LoopResult = { message: Message } & (
  | { status: 'done' | 'parked' | 'stopped' }
  | { status: 'failed'; code: ErrorCode; error: string }
)

type End =
  | { type: 'finish'; finishReason: FinishReason }
  | { type: 'parked' }
  | { type: 'stopped' }
  | { type: 'failed'; code: ErrorCode; error: string }

/** How long a run that was stopped waits for programs that it started to end. */
const WINDING_DOWN_MS = 3000
/** At most so many tools run at a time. */
const TOOLS_AT_A_TIME = 8

/**
 * The loop: a model call, the tools that it asks for, the next model call with their results, until a step asks for
 * none. There is one exit: whatever happens, the chunks end with `finish` or `abort`, and every call is settled.
 */
export class Loop {
  readonly #options: LoopOptions
  /** The caller's, and aborted when the run is over: tools that are still at work are not wanted any more. */
  readonly #signal: AbortSignal
  readonly #over: AbortController = new AbortController()
  /** Why what is said can no longer be kept. */
  #unsaved: unknown
  readonly #open: OpenParts = new OpenParts()
  /** What this run says, folded. */
  readonly #fold: Accumulator
  /** The same after what the continued message said before; what the model is shown. */
  readonly #whole: Accumulator
  readonly #commentary: Commentary
  readonly #context: CallContext
  readonly #spending: Spending
  readonly #definitions: ToolDefinition[]
  /** How many calls of the message each id has. */
  readonly #uses: Map<string, number>
  /** What the message shows of each call of this run, by id. */
  readonly #states: Map<string, ToolState> = new Map()
  /** The calls that the provider runs itself, by id: only their results are its to give. */
  readonly #foreign: Set<string> = new Set()
  /** Model calls so far, those of the continued message included: makes ids that were not there before. */
  #calls: number
  #steps = 0
  /** When the last chunk came: the folds say the same about it. */
  #time: number

  constructor(options: LoopOptions) {
    this.#options = options
    const { tools, syntax, approvals, redact, messageId, continued, now } = options
    const signal = AbortSignal.any([options.signal, this.#over.signal])
    this.#signal = signal
    this.#time = now()
    this.#fold = accumulate({
      now: () => this.#time,
      onToolCall: ({ toolCall }) => void this.#states.set(toolCall.toolCallId, toolCall.state),
    })
    this.#whole = continued === undefined ? this.#fold : continued.fold(() => this.#time)
    this.#commentary = new Commentary(chunk => this.#pass(chunk))
    this.#spending = new Spending(options.price)
    this.#definitions = [...tools.values()].map(toDefinition)
    this.#calls = continued?.steps ?? 0
    this.#uses = continued?.uses ?? new Map()
    this.#context = {
      ...{ tools, syntax, approvals, redact, messageId, signal, now },
      slots: new Slots(TOOLS_AT_A_TIME),
      programs: new Set(),
      questions: new Set(),
      emit: chunk => this.#emit(chunk),
      recall: (toolName, input) => options.answers?.take(toolName, input),
    }
  }

  /** Runs to the end. Never rejects. */
  async run(): Promise<LoopResult> {
    let end: End
    try {
      this.#emit({ type: 'start', messageId: this.#options.messageId })
      end = (await this.#settleOpenCalls()) ?? (await this.#takeSteps())
    } catch (error) {
      end = { type: 'failed', code: 'RUN_FAILED', error: error instanceof Error ? error.message : String(error) }
    }
    if (this.#signal.aborted && end.type !== 'finish') end = { type: 'stopped' }
    return this.#finish(this.#unsaved === undefined ? end : notSaved(this.#unsaved))
  }

  /** The calls that the continued message left open are settled before anything else. */
  async #settleOpenCalls(): Promise<End | undefined> {
    const { continued, tools, transcript } = this.#options
    if (continued === undefined) return undefined
    const calls = new StepCalls(this.#context)
    for (const { call, chunks } of continued.calls(name => tools.get(name)?.effect)) {
      for (const chunk of chunks) this.#passKnown(chunk)
      calls.add(call)
    }
    if (calls.size === 0) return undefined
    const state = await calls.finish()
    if (this.#signal.aborted) calls.recordAll()
    await transcript?.sync()
    return state === 'parked' ? { type: 'parked' } : undefined
  }

  async #takeSteps(): Promise<End> {
    const { maxSteps, maxTokens } = this.#options
    while (!this.#signal.aborted) {
      if (this.#steps >= maxSteps) {
        const limit = maxSteps === 1 ? 'one step' : `${maxSteps} steps`
        const error = `The run reached its limit of ${limit}. Run it again to go on, or raise the limit with --max-steps.`
        return { type: 'failed', code: 'RUN_MAX_STEPS', error }
      }
      if (maxTokens !== undefined && this.#spending.usage.totalTokens >= maxTokens) {
        const error = `The run has used ${this.#spending.usage.totalTokens} tokens; its budget is ${maxTokens}. Run it again to go on, or raise the budget.`
        return { type: 'failed', code: 'RUN_MAX_TOKENS', error }
      }
      const end = await this.#step()
      if (end !== undefined) return end
    }
    return { type: 'stopped' }
  }

  /** One model call and its tools; `undefined` when another step follows. */
  async #step(): Promise<End | undefined> {
    const { transcript } = this.#options
    this.#steps++
    this.#emit({ type: 'start-step' })
    const calls = new StepCalls(this.#context)
    const repeated = new RepeatedCalls()
    let unreadable = 0
    const take = (chunk: Chunk, runnable: boolean): void => {
      for (const one of repeated.push(chunk)) {
        if (!this.#isOwed(one)) continue
        this.#emit(one)
        if (one.type === 'tool-input-start') countUse(this.#uses, one.toolCallId)
        if (!runnable) continue
        if (one.type === 'tool-input-error') unreadable++
        else if (one.type === 'tool-input-available' && one.providerExecuted !== true) {
          // What the message does not show, because it goes past a limit, is not run either.
          if (this.#states.get(one.toolCallId) === 'input-available')
            calls.add(toCall(one, this.#uses.get(one.toolCallId) ?? 1))
          else unreadable++
        }
      }
    }
    const end = await this.#callModel(take)
    for (const chunk of repeated.end()) this.#emit(chunk)
    if (end.type !== 'finished') {
      calls.recordAll()
      return end.type === 'stopped'
        ? { type: 'stopped' }
        : { type: 'failed', code: end.failure.code, error: end.failure.message }
    }
    const { finishReason } = end
    if (end.usage !== undefined) this.#spending.add(end.usage)
    this.#emit({
      type: stepMark,
      transient: true,
      data: { step: this.#calls, finishReason, ...(end.usage === undefined ? {} : { usage: end.usage }) },
    })
    if (cutShort.has(finishReason)) calls.refuseRest(reasonNotRun(finishReason), 'TOOL_NOT_RUN')
    const state = await calls.finish()
    if (this.#signal.aborted) {
      calls.recordAll()
      return { type: 'stopped' }
    }
    this.#emit({ type: 'finish-step' })
    await transcript?.sync()
    if (state === 'parked') return { type: 'parked' }
    if (finishReason === 'error')
      return { type: 'failed', code: 'MODEL_STREAM_BROKEN', error: 'The model ended its answer with an error.' }
    if (calls.size + unreadable > 0 && finishReason !== 'content-filter') return undefined
    return { type: 'finish', finishReason: finishReason === 'tool-calls' ? 'stop' : finishReason }
  }

  /** False for the result of a call that the provider does not run. */
  #isOwed(chunk: Chunk): boolean {
    switch (chunk.type) {
      case 'tool-input-start':
      case 'tool-input-available':
        if (chunk.providerExecuted === true) this.#foreign.add(chunk.toolCallId)
        else this.#foreign.delete(chunk.toolCallId)
        return true
      case 'tool-output-available':
      case 'tool-output-error':
        return this.#foreign.has(chunk.toolCallId)
      default:
        return true
    }
  }

  #callModel(take: (chunk: Chunk, runnable: boolean) => void): Promise<ModelEnd> {
    const { model, syntax, limit, messages, settings, salvage, fetchFile, notice, wait, tools, redact } = this.#options
    const { message } = this.#whole
    return callModel({
      ...{ model, syntax, limit, settings, notice, wait, take, redact },
      tools: this.#definitions,
      readOnly: name => tools.get(name)?.effect === 'read',
      messages: message === undefined ? messages : [...messages, message],
      nextStep: () => ++this.#calls,
      isFull: () => this.#whole.counts.has('STREAM_MESSAGE_TOO_LONG'),
      signal: this.#signal,
      ...(salvage === undefined ? {} : { salvage }),
      ...(fetchFile === undefined ? {} : { fetchFile }),
    })
  }

  /** The one exit. */
  async #finish(end: End): Promise<LoopResult> {
    const { model, transcript } = this.#options
    const metadata = { usage: this.#spending.usage, model: model.name, steps: this.#steps }
    const reason = reasonOf(this.#signal)
    this.#over.abort()
    if ((end.type === 'stopped' || end.type === 'failed') && this.#spending.usage.totalTokens > 0) {
      this.#commentary.push({ type: 'message-metadata', messageMetadata: metadata, metadata })
    }
    for (const chunk of this.#endingOf(end, metadata, reason)) this.#commentary.push(chunk)
    this.#commentary.end()
    this.#fold.end()
    if (this.#whole !== this.#fold) this.#whole.end()
    let result: LoopResult['status'] | { code: ErrorCode; error: string } =
      end.type === 'failed' ? end : end.type === 'finish' ? 'done' : end.type
    try {
      await transcript?.sync()
    } catch (error) {
      result = notSaved(error)
    }
    await this.#windDown()
    const message = this.#message()
    if (typeof result === 'string') return { status: result as 'done', message }
    return { status: 'failed', message, code: result.code, error: result.error }
  }

  /** A program that was told to end gets the time for it, so that none is left behind when this process ends too. */
  async #windDown(): Promise<void> {
    const { programs } = this.#context
    if (programs.size === 0) return
    const over = new AbortController()
    const ended = Promise.allSettled(programs).then(() => over.abort())
    await Promise.race([ended, this.#options.wait(WINDING_DOWN_MS, over.signal)])
  }

  /** The message as the document has it: one that does not say when it began began with this run. */
  #message(): Message {
    const { createdAt } = this.#options.continued ?? this.#fold.message!
    return { ...this.#whole.message!, createdAt: createdAt ?? this.#fold.message!.createdAt! }
  }

  #endingOf(end: End, messageMetadata: Record<string, unknown>, reason: { reason?: string }): Chunk[] {
    switch (end.type) {
      case 'finish':
        return this.#open.end({ type: 'finish', finishReason: end.finishReason, messageMetadata })
      case 'parked':
        return this.#open.end({ type: 'finish', finishReason: 'tool-calls', messageMetadata })
      case 'stopped':
        return this.#open.end({ type: 'abort', ...reason })
      case 'failed':
        return this.#open.end({ type: 'error', errorText: end.error })
    }
  }

  #emit(chunk: Chunk): void {
    if (!this.#open.ended) this.#commentary.push(chunk)
  }

  /** Where every chunk comes by, once: the folds, the log and the document, the reader. */
  #pass(chunk: Chunk): void {
    this.#time = this.#options.now()
    this.#open.watch(chunk)
    this.#fold.push(chunk)
    if (this.#whole !== this.#fold) this.#whole.push(chunk)
    this.#keep(chunk)
  }

  /** A chunk that says again what the continued message has already. */
  #passKnown(chunk: Chunk): void {
    this.#time = this.#options.now()
    this.#open.watch(chunk)
    this.#fold.push(chunk)
    this.#keep(chunk)
  }

  #keep(chunk: Chunk): void {
    try {
      this.#options.transcript?.push(chunk, this.#fold)
    } catch (error) {
      this.#unsaved ??= error
      this.#over.abort(error)
    }
    this.#options.chunks.push(chunk)
  }
}

function notSaved(error: unknown): Extract<End, { type: 'failed' }> {
  const words = error instanceof Error ? error.message : String(error)
  if (error instanceof ArgotError) return { type: 'failed', code: error.code, error: words }
  return { type: 'failed', code: 'RUN_NOT_SAVED', error: `The transcript could not be saved: ${words}` }
}

/** Reasons for which what was written is not run: the model was not done, or was not allowed to. */
const cutShort: ReadonlySet<FinishReason> = new Set(['length', 'content-filter', 'error'])

function reasonNotRun(finishReason: FinishReason): string {
  switch (finishReason) {
    case 'length':
      return 'The call was not run: the answer reached the token limit. Write less before the call, or split the work.'
    case 'content-filter':
      return 'The call was not run: the provider filtered the answer.'
    default:
      return 'The call was not run: the answer ended with an error.'
  }
}

function toCall(chunk: Extract<Chunk, { type: 'tool-input-available' }>, use: number): LoopCall {
  const { toolCallId, toolName, input, title } = chunk
  return { toolCallId, toolName, input, use, ...(title === undefined ? {} : { title }) }
}

function toDefinition({ name, title, description, inputSchema, effect }: Tool): ToolDefinition {
  return {
    ...{ name, inputSchema, effect },
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  }
}

/** Why it was stopped, where somebody said so: that a run was stopped is clear without it. */
function reasonOf({ reason }: AbortSignal): { reason?: string } {
  if (typeof reason === 'string') return { reason }
  return reason instanceof Error && reason.name !== 'AbortError' ? { reason: reason.message } : {}
}
