import { type Chunk, type ErrorCode, isToolPart, type Message, type MessagePart } from '@argot/core'
import { GrowingPrompt } from '@argot/core/ai-sdk/internal'
import {
  CallKeys,
  defined,
  type FinishReason,
  lastCallNumber,
  readContentForModel,
  ShortCallIds,
  toFinalReason,
  UniqueIds,
} from '@argot/core/stream/internal'
import type { SyntaxDiagnostic } from '@argot/core/syntax/internal'
import type { Usage } from '../model/model.ts'
import { agentsMark, mark, stepMark, takenBackMark } from '../store/marks.ts'
import { describeTime } from '../words/describe-time.ts'
import { toMessage } from '../words/to-message.ts'
import { AnswerCheck } from './answer/answer-check.ts'
import { answerProblem, keepsReachingLimit } from './answer/answer-problem.ts'
import { ShownCalls } from './answer/shown-calls.ts'
import { callModel, type ModelEnd } from './call-model.ts'
import { CallIntake } from './calls/call-intake.ts'
import { Concurrency } from './calls/concurrency.ts'
import type { LoopCall } from './calls/loop-call.ts'
import { RecoveredAnswers } from './calls/recovered-answers.ts'
import { answerChunk, type StepCallContext, StepCalls } from './calls/step-calls.ts'
import { Compaction } from './compact/compaction.ts'
import { LeakWatch } from './leak-watch.ts'
import { getFinishReason, type LoopEnd, notSaved, toEnding } from './loop-end.ts'
import type { LoopIo, RunPlan } from './plan.ts'
import type { RunStream } from './run-stream.ts'
import { RunTime } from './run-time.ts'
import { SpendingMeter } from './spending.ts'
import { ToolOffer } from './tool-offer.ts'

export type LoopResult = {
  message: Message
  /** Every message from the run and from users in between. `message` is the last of them. */
  messages: readonly Message[]
  usage: Usage & { cost?: number }
  /** This run's model calls, including those of earlier processes. */
  steps: number
  finishReason?: FinishReason
  /** The answer's value, if a format was requested and the answer matches it. */
  output?: unknown
} & ({ status: 'done' | 'parked' | 'stopped' } | { status: 'failed'; code: ErrorCode; error: string })

/** How long a stopped run waits for its programs to end. */
const WINDING_DOWN_MS = 3000
/** A model that reaches its token limit this often in a row, without a call that could run, would do so forever. */
const MOST_CUT_STEPS = 3
const TOOLS_AT_A_TIME = 8

/**
 * The loop: a model call, the tools it calls, the next model call with their results, until a step calls none. There is
 * only one exit: whatever happens, the chunks end with `finish` or `abort`, and every call is settled.
 */
export class Loop {
  readonly #plan: RunPlan
  /** The caller's, with the loop's own signal. */
  readonly #io: LoopIo
  readonly #caller: AbortSignal
  /** Aborted with the caller's signal, and when the run is over: tools still at work are no longer needed. */
  readonly #over: AbortController = new AbortController()
  readonly #signal: AbortSignal = this.#over.signal
  readonly #stream: RunStream
  readonly #intake: CallIntake
  readonly #ids: ShortCallIds
  readonly #context: StepCallContext
  readonly #spending: SpendingMeter
  /** The tools as the model sees them. They change when their sources change or a search finds more. */
  readonly #offer: ToolOffer
  #prompt: GrowingPrompt
  readonly #compaction: Compaction
  /** Steps so far, including those of the continued message and discarded ones. Makes ids that weren't used before. */
  #stepNumber: number
  /** The provider rejected pictures for this model. */
  #lacksVision = false
  readonly #leaks: LeakWatch
  readonly #answer: AnswerCheck
  readonly #shownCalls: ShownCalls
  #steps: number
  /** Steps in a row that reached the token limit before any of their calls could run. */
  #cutSteps = 0

  constructor(plan: RunPlan, stream: RunStream, io: LoopIo) {
    const { talk, tools, budget, answer, continued, resumed } = plan
    this.#plan = plan
    this.#io = { ...io, signal: this.#signal }
    this.#caller = io.signal
    this.#stream = stream
    // Not `AbortSignal.any`: listening to such a signal, as every step and call does, takes several times as long.
    if (io.signal.aborted) this.#stop()
    else io.signal.addEventListener('abort', this.#stop, { once: true })
    this.#spending = new SpendingMeter(talk.price, resumed?.spending)
    this.#steps = resumed?.spending.steps ?? 0
    this.#offer = new ToolOffer(tools, plan.messages, { syntax: talk.syntax, isOn: talk.toolSearch })
    this.#offer.update([...stream.earlier, stream.message])
    this.#prompt = this.#createPrompt()
    this.#compaction = new Compaction({
      plan,
      io: this.#io,
      stream,
      spending: this.#spending,
      definitions: () => this.#offer.definitions,
      prompt: () => this.#prompt,
    })
    this.#leaks = new LeakWatch({
      isOn: talk.syntax.kind === 'native' && talk.salvage === undefined,
      notice: io.notice,
    })
    this.#answer = new AnswerCheck(answer)
    this.#shownCalls = new ShownCalls({ syntax: talk.syntax, tools: () => this.#offer.tools, notice: io.notice })
    this.#stepNumber = (continued?.steps ?? 0) + (resumed?.resets ?? 0)
    this.#ids = new ShortCallIds(Math.max(plan.lastCall ?? 0, lastCallNumber(plan.messages), findLastCallNumber(plan)))
    this.#intake = new CallIntake(stream, continued?.keys ?? new CallKeys(), this.#ids)
    const recoveredAnswers = resumed && new RecoveredAnswers(resumed.answers)
    this.#context = {
      plan,
      io: this.#io,
      stream,
      offer: this.#offer,
      slots: new Concurrency(TOOLS_AT_A_TIME),
      programs: new Set(),
      questions: new UniqueIds([...(continued?.approvalIds ?? []), ...(resumed?.approvalIds ?? [])]),
      budget: {
        spend: usage => this.#spending.addOther(usage),
        tokensLeft: () => {
          const { tokenBudget } = budget
          return tokenBudget === undefined ? undefined : Math.max(0, tokenBudget - this.#spending.usage.totalTokens)
        },
      },
      recall: (toolName, input) => recoveredAnswers?.take(toolName, input),
    }
  }

  #stop = (): void => this.#over.abort(this.#caller.reason)

  /** Runs to the end. Never rejects. */
  async run(): Promise<LoopResult> {
    let end: LoopEnd
    const { runMs } = this.#plan.budget
    const { approvals, outputs } = this.#io.people
    const isWaiting = (): boolean => approvals.pending.length + outputs.pending > 0
    const time = new RunTime({ limitMs: runMs, isWaiting, onOver: () => this.#over.abort() })
    try {
      this.#stream.start()
      this.#countAgents()
      end = (await this.#settleOpenCalls()) ?? (await this.#takeSteps())
    } catch (error) {
      end = { type: 'failed', code: 'RUN_FAILED', error: toMessage(error) }
    }
    time.end()
    if (this.#signal.aborted && end.type !== 'finish') end = time.isOver ? tookTooLong(runMs) : { type: 'stopped' }
    return this.#finish(end)
  }

  #countAgents(): void {
    for (const usage of this.#plan.agentUsage ?? []) {
      this.#spending.addOther(usage)
      this.#stream.push(mark(agentsMark, { usage }))
    }
  }

  async #settleOpenCalls(): Promise<LoopEnd | undefined> {
    const { continued } = this.#plan
    if (continued === undefined) return undefined
    const calls = new StepCalls(this.#context)
    const openCalls: LoopCall[] = []
    for (const { call, chunks } of continued.calls(name => this.#offer.tools.get(name)?.effect)) {
      for (const chunk of chunks) this.#stream.repeat(chunk)
      openCalls.push(this.#recordAnswer(call))
    }
    if (openCalls.length === 0) return undefined
    // An accepted answer must be on disk before any question or call.
    if (openCalls.some(({ isRecorded }) => isRecorded === true)) await this.#stream.logSynced()
    for (const call of openCalls) calls.add(call)
    const state = await calls.finish()
    if (this.#signal.aborted) calls.recordAll()
    await this.#stream.synced()
    return state === 'parked' ? { type: 'parked' } : undefined
  }

  /** Writes the answer that a person gave to a call's open question while no process was there to take it. */
  #recordAnswer(call: LoopCall): LoopCall {
    const { approvalId, toolCallId, toolName, input, isRecorded } = call
    if (approvalId === undefined || (call.answer !== undefined && isRecorded !== true)) return call
    const answer = call.answer ?? this.#io.people.approvals.takeEarly(approvalId, input)
    if (answer === undefined) return call
    this.#stream.push({ type: 'tool-approval-request', approvalId, toolCallId, toolName, input, known: true })
    this.#stream.push({ ...answerChunk(call, approvalId, answer), ...defined({ known: isRecorded }) })
    return { ...call, answer, isRecorded: true }
  }

  async #takeSteps(): Promise<LoopEnd> {
    while (!this.#signal.aborted) {
      const end = this.#checkBudget() ?? (await this.#joinAndStep())
      if (end !== undefined && !(await this.#isSteered(end))) return end
    }
    return { type: 'stopped' }
  }

  /** Users' messages join the run between two steps, in their order. */
  async #joinAndStep(): Promise<LoopEnd | undefined> {
    if (await this.#hasMessages()) {
      await this.#io.people.steering.take(
        messages => this.#stream.join(messages),
        () => this.#stream.stepSynced(),
      )
      this.#prompt = this.#createPrompt()
    }
    return this.#step()
  }

  /** A message that arrived while the model wrote its answer gets an answer, too. */
  async #isSteered({ type }: LoopEnd): Promise<boolean> {
    return type === 'finish' && this.#checkBudget() === undefined && (await this.#hasMessages())
  }

  /** An assistant message without content stays in place, and users' messages wait for the next step. */
  async #hasMessages(): Promise<boolean> {
    const { steering } = this.#io.people
    if (this.#signal.aborted || this.#stream.message?.parts.every(isStepStart) !== false) return false
    await steering.checkInbox()
    return !steering.isEmpty
  }

  #checkBudget(): LoopEnd | undefined {
    const { maxSteps, tokenBudget } = this.#plan.budget
    const { totalTokens, estimated } = this.#spending.usage
    if (this.#steps >= maxSteps) {
      const limit = maxSteps === 1 ? 'one step' : `${maxSteps} steps`
      const error = `The run reached its limit of ${limit}. Run it again to continue, or raise the limit with --max-steps.`
      return { type: 'failed', code: 'RUN_MAX_STEPS', error }
    }
    if (tokenBudget !== undefined && totalTokens >= tokenBudget) {
      const usage =
        estimated === true
          ? `about ${totalTokens} tokens (an estimate, because the provider didn't count all of them)`
          : `${totalTokens} tokens`
      const error = `The run has used ${usage} of its budget of ${tokenBudget}. Run it again to continue, or raise the budget.`
      return { type: 'failed', code: 'RUN_MAX_TOKENS', error }
    }
    return undefined
  }

  /** One model call and its tools. `undefined` if another step follows. */
  async #step(): Promise<LoopEnd | undefined> {
    await this.#refreshTools()
    const fit = await this.#compaction.fit()
    if (fit.type !== 'fits') return toEnd(fit)
    this.#steps++
    this.#stepNumber++
    this.#stream.push({ type: 'start-step' })
    const calls = new StepCalls(this.#context)
    this.#intake.begin(calls)
    const reply = await this.#askAndCompact()
    const unreadable = this.#intake.end()
    if (reply.type !== 'finished') {
      calls.recordAll()
      return toEnd(reply)
    }
    const { finishReason, usage } = reply
    if (usage.estimated === true) this.#noticeEstimate()
    this.#spending.add(usage)
    const isAnswer = calls.size + unreadable === 0
    const isCorrected = await this.#reportShown(reply.shownCalls, finishReason, isAnswer)
    if (isAnswer && !isCorrected && (await this.#discardAnswer(finishReason, usage))) return undefined
    const { promptTokens: sent } = this.#compaction
    const stepChunk = mark(stepMark, { step: this.#stepNumber, finishReason, usage, ...defined({ sent }) })
    this.#compaction.learn(stepChunk)
    this.#stream.push(stepChunk)
    const state = await this.#runCalls(calls, finishReason)
    if (state === 'stopped') return { type: 'stopped' }
    this.#stream.push({ type: 'finish-step' })
    // Readers who learn that the run waits or has ended must find its text in the document.
    await this.#stream.stepSynced()
    return this.#endAfter(state, finishReason, isAnswer && !isCorrected)
  }

  /** How the run ends after a step. Undefined if another step follows. */
  #endAfter(state: 'settled' | 'parked', finishReason: FinishReason, isAnswer: boolean): LoopEnd | undefined {
    if (state === 'parked') return { type: 'parked' }
    if (finishReason === 'error')
      return { type: 'failed', code: 'MODEL_STREAM_BROKEN', error: 'The model ended its answer with an error.' }
    if (isAnswer || finishReason === 'content-filter') return this.#endOfAnswer(finishReason)
    if (this.#cutSteps < MOST_CUT_STEPS) return undefined
    return { type: 'finish', finishReason, problem: keepsReachingLimit(this.#cutSteps) }
  }

  /** Estimated usage means that a token budget isn't exact. The user gets one notice about that. */
  #noticeEstimate(): void {
    const { talk, budget } = this.#plan
    const { tokenBudget } = budget
    if (tokenBudget === undefined || this.#spending.usage.estimated === true) return
    this.#io.notice(
      `${talk.model.name} doesn't report how many tokens its replies use, so the budget of ${tokenBudget} tokens relies on an estimate.`,
    )
  }

  #endOfAnswer(reason: FinishReason): LoopEnd {
    const finishReason = toFinalReason(reason)
    const problem = answerProblem(finishReason, this.#stream.message) ?? this.#answer.problem
    return { type: 'finish', finishReason, problem }
  }

  /** Reports calls that the reply only shows. True if the model should make the call that ends the reply. */
  async #reportShown(
    diagnostics: readonly SyntaxDiagnostic[],
    reason: FinishReason,
    isAnswer: boolean,
  ): Promise<boolean> {
    const mayAskAgain = isAnswer && !cutShort.has(reason) && this.#checkBudget() === undefined && !this.#signal.aborted
    const { chunks, isCorrected } = await this.#shownCalls.report(diagnostics, this.#stream.message, mayAskAgain)
    for (const chunk of chunks) this.#stream.push(chunk)
    return isCorrected
  }

  /** Discards an answer that isn't in the requested format, once. True if it did. */
  async #discardAnswer(reason: FinishReason, usage: Usage): Promise<boolean> {
    if (cutShort.has(reason) || this.#signal.aborted) return false
    if (!(await this.#answer.refuses(this.#stream.message, this.#checkBudget() === undefined))) return false
    this.#stream.push(mark(takenBackMark, { usage }))
    this.#stream.push({ type: 'reset-step' })
    return true
  }

  #createPrompt(): GrowingPrompt {
    const { talk, fetchFile, continued, answer } = this.#plan
    const { earlier } = this.#stream
    const shared = {
      syntax: talk.syntax,
      tools: this.#offer.definitions,
      taught: this.#offer.taught,
      fetchFile,
      signal: this.#signal,
      isCut: continued?.isCut === true && earlier.length === 0,
      format: answer?.lesson,
      lacksVision: this.#lacksVision,
    }
    return new GrowingPrompt([...this.#plan.messages, ...earlier], this.#stream.fold, shared)
  }

  async #refreshTools(): Promise<void> {
    await this.#plan.tools.refresh()
    if (!this.#offer.update([...this.#stream.earlier, this.#stream.message])) return
    this.#prompt = this.#createPrompt()
  }

  /** If the provider finds a prompt too long, it is sent once more with its older turns summarized. */
  async #askAndCompact(): Promise<ModelEnd> {
    const end = await this.#askAndDropPictures()
    const isSilent = this.#stream.message?.parts.at(-1)?.type === 'step-start'
    if (end.type !== 'failed' || end.failure.code !== 'MODEL_CONTEXT_EXCEEDED' || !isSilent) return end
    // The summary belongs to no step.
    this.#stream.push({ type: 'finish-step' })
    const fit = await this.#compaction.handleRefusal(end.failure)
    if (fit.type !== 'fits') return fit
    this.#stepNumber++
    this.#stream.push({ type: 'start-step' })
    return this.#askAndDropPictures()
  }

  /** A model that takes no pictures gets the prompt again without those from tools. Every run would fail on them. */
  async #askAndDropPictures(): Promise<ModelEnd> {
    const end = await this.#askModel()
    if (end.type !== 'failed' || end.failure.code !== 'MODEL_NO_PICTURES' || this.#lacksVision) return end
    const { message, earlier } = this.#stream
    const { messages, talk } = this.#plan
    const conversation = [...messages, ...earlier, ...(message === undefined ? [] : [message])]
    if (!conversation.some(hasToolFiles)) return end
    this.#lacksVision = true
    this.#stepNumber++
    this.#prompt = this.#createPrompt()
    this.#io.notice(
      `${talk.model.name} doesn't accept images, so Argot replaces the images in tool results with a description.`,
    )
    return this.#askModel()
  }

  #askModel(): Promise<ModelEnd> {
    const { talk, answer } = this.#plan
    const step = {
      tools: this.#offer.definitions,
      readOnly: (name: string) => this.#offer.tools.get(name)?.effect === 'read',
      prompt: this.#prompt,
      extraMessages: this.#answer.retryMessages,
      answerSchema: answer?.schema,
      step: this.#stepNumber,
      nextCallId: () => this.#ids.next(),
      isFull: () => this.#stream.isFull,
      take: (chunk: Chunk, runnable: boolean) => this.#intake.take(chunk, runnable),
      leaks: this.#leaks,
    }
    return callModel(talk, step, this.#io)
  }

  async #runCalls(calls: StepCalls, finishReason: FinishReason): Promise<'settled' | 'parked' | 'stopped'> {
    this.#cutSteps = finishReason === 'length' && !calls.hasBegun ? this.#cutSteps + 1 : 0
    if (cutShort.has(finishReason)) calls.refuseRest(reasonNotRun(finishReason), 'TOOL_NOT_RUN')
    const state = await calls.finish()
    if (!this.#signal.aborted) return state
    calls.recordAll()
    return 'stopped'
  }

  async #finish(intended: LoopEnd): Promise<LoopResult> {
    const { model } = this.#plan.talk
    const { usage } = this.#spending
    const metadata = { usage, model: model.name, steps: this.#steps }
    const reason = getStopReason(this.#signal)
    // A complete answer stays one even if the disk fails after it. Otherwise the next run would answer again.
    const end = intended.type === 'finish' ? intended : this.#asSaved(intended)
    this.#caller.removeEventListener('abort', this.#stop)
    this.#over.abort()
    this.#io.people.steering.close()
    if ((end.type === 'stopped' || end.type === 'failed') && usage.totalTokens > 0) {
      this.#stream.push({ type: 'message-metadata', messageMetadata: metadata, metadata })
    }
    this.#stream.end(toEnding(end, metadata, reason))
    await this.#stream.synced()
    await this.#windDown()
    const finalEnd = this.#asSaved(end)
    const finishReason = getFinishReason(finalEnd)
    const message = this.#stream.finalMessage()
    const messages = [...this.#stream.earlier, message]
    const result = { message, messages, usage, steps: this.#steps, ...defined({ finishReason }) }
    if (finalEnd.type === 'failed') return { ...result, status: 'failed', code: finalEnd.code, error: finalEnd.error }
    if (finalEnd.type !== 'finish') return { ...result, status: finalEnd.type }
    if (finalEnd.problem === undefined)
      return { ...result, status: 'done', ...defined({ output: this.#answer.output }) }
    this.#io.notice(finalEnd.problem.error)
    return { ...result, status: 'failed', ...finalEnd.problem }
  }

  /** A run that couldn't be saved has failed, however it ended. */
  #asSaved(end: LoopEnd): LoopEnd {
    const { unsaved } = this.#stream
    return unsaved === undefined ? end : notSaved(unsaved.error)
  }

  /** Gives programs time to end, so that none outlives this process. */
  async #windDown(): Promise<void> {
    const { programs } = this.#context
    if (programs.size === 0) return
    const over = new AbortController()
    const ended = Promise.allSettled(programs).then(() => over.abort())
    await Promise.race([ended, this.#io.pause(WINDING_DOWN_MS, over.signal)])
  }
}

/** For these reasons the written calls don't run: the model wasn't done, or wasn't allowed to continue. */
const cutShort: ReadonlySet<FinishReason> = new Set(['length', 'content-filter', 'error'])

function reasonNotRun(finishReason: FinishReason): string {
  switch (finishReason) {
    case 'length':
      return "The call didn't run: the answer reached the token limit. Write less before the call, or split the work."
    case 'content-filter':
      return "The call didn't run: the provider filtered the answer."
    default:
      return "The call didn't run: the answer ended with an error."
  }
}

/** The highest call number in the continued message, from both the document and the log. */
function findLastCallNumber({ continued, resumed }: RunPlan): number {
  const { message } = resumed?.fold ?? {}
  return Math.max(continued?.lastCall ?? 0, message === undefined ? 0 : lastCallNumber([message]))
}

function toEnd(end: Exclude<ModelEnd, { type: 'finished' }>): LoopEnd {
  return end.type === 'stopped' ? end : { type: 'failed', code: end.failure.code, error: end.failure.message }
}

function tookTooLong(runMs: number): LoopEnd {
  const error = `The run has reached its time limit of ${describeTime(runMs)}. Run it again to continue, or raise the limit with --max-time.`
  return { type: 'failed', code: 'RUN_MAX_TIME', error }
}

/** A plain stop has no reason. */
function getStopReason({ reason }: AbortSignal): { reason?: string } {
  if (typeof reason === 'string') return { reason }
  return reason instanceof Error && reason.name !== 'AbortError' ? { reason: reason.message } : {}
}

function isStepStart({ type }: MessagePart): boolean {
  return type === 'step-start'
}

function hasToolFiles({ parts }: Message): boolean {
  return parts.some(part => isToolPart(part) && readContentForModel(part.toolInvocation.output) !== undefined)
}
