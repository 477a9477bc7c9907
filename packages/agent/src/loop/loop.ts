import { type Chunk, type ErrorCode, isToolPart, type Message, type MessagePart } from '@argot/core'
import { GrowingPrompt } from '@argot/core/ai-sdk/internal'
import {
  asContentOutput,
  CallKeys,
  defined,
  type FinishReason,
  lastCallNumber,
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
import { answerChunk, type CallSurroundings, StepCalls } from './calls/step-calls.ts'
import { Compaction } from './compact/compaction.ts'
import { LeakWatch } from './leak-watch.ts'
import { type End, getFinishReason, notSaved, toEnding } from './loop-end.ts'
import type { LoopIo, Plan } from './plan.ts'
import type { RunStream } from './run-stream.ts'
import { RunTime } from './run-time.ts'
import { Spending } from './spending.ts'
import { ToolOffer } from './tool-offer.ts'

/** How a run of the loop ended. */
export type LoopResult = {
  message: Message
  /** Everything that the run said and that users said in between; `message` is the last of them. */
  messages: readonly Message[]
  usage: Usage & { cost?: number }
  /** Model calls of this run, those of earlier processes included. */
  steps: number
  /** Why the model stopped, where it did so itself. */
  finishReason?: FinishReason
  /** What the answer holds, where a form was asked for and it has that. */
  output?: unknown
} & ({ status: 'done' | 'parked' | 'stopped' } | { status: 'failed'; code: ErrorCode; error: string })

/** How long a run that was stopped waits for programs that it started to end. */
const WINDING_DOWN_MS = 3000
/** A model that reaches its token limit so often in a row, without a call that could be run, would do so for ever. */
const CUT_STEPS = 3
/** At most this many tools run at a time. */
const TOOLS_AT_A_TIME = 8

/**
 * The loop: a model call, the tools that it asks for, the next model call with their results, until a step asks for
 * none. There is one exit: whatever happens, the chunks end with `finish` or `abort`, and every call is settled.
 */
export class Loop {
  readonly #plan: Plan
  /** The caller's, with the signal of the loop. */
  readonly #io: LoopIo
  readonly #caller: AbortSignal
  /** Aborted with the caller's, and when the run is over: tools that are still at work are not wanted any more. */
  readonly #over: AbortController = new AbortController()
  readonly #signal: AbortSignal = this.#over.signal
  readonly #stream: RunStream
  readonly #intake: CallIntake
  readonly #ids: ShortCallIds
  readonly #context: CallSurroundings
  readonly #spending: Spending
  /** The tools as a model sees them; others once their sources have changed or a search has found some. */
  readonly #offer: ToolOffer
  #prompt: GrowingPrompt
  readonly #compaction: Compaction
  /** Steps so far, those of the continued message and those that were taken back included: makes ids that were not there before. */
  #calls: number
  /** The provider has said that the model takes no pictures. */
  #isBlind = false
  readonly #leaks: LeakWatch
  readonly #answer: AnswerCheck
  readonly #shown: ShownCalls
  #steps: number
  /** Steps in a row that reached the token limit before any of their calls could be run. */
  #cutSteps = 0

  constructor(plan: Plan, stream: RunStream, io: LoopIo) {
    const { talk, tools, budget, answer, continued, resumed } = plan
    this.#plan = plan
    this.#io = { ...io, signal: this.#signal }
    this.#caller = io.signal
    this.#stream = stream
    // Not `AbortSignal.any`: listening to such a signal, as every step and call does, takes several times as long.
    if (io.signal.aborted) this.#stop()
    else io.signal.addEventListener('abort', this.#stop, { once: true })
    this.#spending = new Spending(talk.price, resumed?.spent)
    this.#steps = resumed?.spent.steps ?? 0
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
    this.#shown = new ShownCalls({ syntax: talk.syntax, tools: () => this.#offer.tools, notice: io.notice })
    this.#calls = (continued?.steps ?? 0) + (resumed?.resets ?? 0)
    this.#ids = new ShortCallIds(Math.max(plan.lastCall ?? 0, lastCallNumber(plan.messages), findLastCall(plan)))
    this.#intake = new CallIntake(stream, continued?.keys ?? new CallKeys(), this.#ids)
    const recovered = resumed && new RecoveredAnswers(resumed.answers)
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
      recall: (toolName, input) => recovered?.take(toolName, input),
    }
  }

  #stop = (): void => this.#over.abort(this.#caller.reason)

  /** Runs to the end. Never rejects. */
  async run(): Promise<LoopResult> {
    let end: End
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

  /** The calls that the continued message left open are settled before anything else. */
  async #settleOpenCalls(): Promise<End | undefined> {
    const { continued } = this.#plan
    if (continued === undefined) return undefined
    const calls = new StepCalls(this.#context)
    const open: LoopCall[] = []
    for (const { call, chunks } of continued.calls(name => this.#offer.tools.get(name)?.effect)) {
      for (const chunk of chunks) this.#stream.known(chunk)
      open.push(this.#recordAnswer(call))
    }
    if (open.length === 0) return undefined
    // An answer that was accepted is on the disk before anything is asked or run.
    if (open.some(({ isRecorded }) => isRecorded === true)) await this.#stream.logSynced()
    for (const call of open) calls.add(call)
    const state = await calls.finish()
    if (this.#signal.aborted) calls.recordAll()
    await this.#stream.synced()
    return state === 'parked' ? { type: 'parked' } : undefined
  }

  /** Writes the answer that a person gave to the open question of a call while no process was there to take it. */
  #recordAnswer(call: LoopCall): LoopCall {
    const { approvalId, toolCallId, toolName, input, isRecorded } = call
    if (approvalId === undefined || (call.answer !== undefined && isRecorded !== true)) return call
    const answer = call.answer ?? this.#io.people.approvals.takeEarly(approvalId, input)
    if (answer === undefined) return call
    this.#stream.push({ type: 'tool-approval-request', approvalId, toolCallId, toolName, input, known: true })
    this.#stream.push({ ...answerChunk(call, approvalId, answer), ...defined({ known: isRecorded }) })
    return { ...call, answer, isRecorded: true }
  }

  async #takeSteps(): Promise<End> {
    while (!this.#signal.aborted) {
      const end = this.#checkBudget() ?? (await this.#joinAndStep())
      if (end !== undefined && !(await this.#isSteered(end))) return end
    }
    return { type: 'stopped' }
  }

  /** Messages that users sent to the run join it between two steps, in their order. */
  async #joinAndStep(): Promise<End | undefined> {
    if (await this.#hasMessages()) {
      await this.#io.people.steering.take(
        messages => this.#stream.join(messages),
        () => this.#stream.stepSynced(),
      )
      this.#prompt = this.#createPrompt()
    }
    return this.#step()
  }

  /** A message that came while the model wrote its answer is answered, too. */
  async #isSteered({ type }: End): Promise<boolean> {
    return type === 'finish' && this.#checkBudget() === undefined && (await this.#hasMessages())
  }

  /** An assistant's message that has said nothing yet stays where it is, and the users' wait for the next step. */
  async #hasMessages(): Promise<boolean> {
    const { steering } = this.#io.people
    if (this.#signal.aborted || this.#stream.message?.parts.every(isStepStart) !== false) return false
    await steering.look()
    return !steering.isEmpty
  }

  #checkBudget(): End | undefined {
    const { maxSteps, tokenBudget } = this.#plan.budget
    const { totalTokens, estimated } = this.#spending.usage
    if (this.#steps >= maxSteps) {
      const limit = maxSteps === 1 ? 'one step' : `${maxSteps} steps`
      const error = `The run reached its limit of ${limit}. Run it again to continue, or raise the limit with --max-steps.`
      return { type: 'failed', code: 'RUN_MAX_STEPS', error }
    }
    if (tokenBudget !== undefined && totalTokens >= tokenBudget) {
      const used =
        estimated === true
          ? `about ${totalTokens} tokens (an estimate: the provider did not count all of them)`
          : `${totalTokens} tokens`
      const error = `The run has used ${used}; its budget is ${tokenBudget}. Run it again to continue, or raise the budget.`
      return { type: 'failed', code: 'RUN_MAX_TOKENS', error }
    }
    return undefined
  }

  /** One model call and its tools; `undefined` when another step follows. */
  async #step(): Promise<End | undefined> {
    await this.#refreshTools()
    const fitted = await this.#compaction.fit()
    if (fitted.type !== 'fits') return toEnd(fitted)
    this.#steps++
    this.#calls++
    this.#stream.push({ type: 'start-step' })
    const calls = new StepCalls(this.#context)
    this.#intake.begin(calls)
    const reply = await this.#askFitting()
    const unreadable = this.#intake.end()
    if (reply.type !== 'finished') {
      calls.recordAll()
      return toEnd(reply)
    }
    const { finishReason, usage } = reply
    if (usage.estimated === true) this.#sayEstimated()
    this.#spending.add(usage)
    const isAnswer = calls.size + unreadable === 0
    const isCorrected = await this.#reportShown(reply.shown, finishReason, isAnswer)
    if (isAnswer && !isCorrected && (await this.#takesBack(finishReason, usage))) return undefined
    const { sent } = this.#compaction
    const marked = mark(stepMark, { step: this.#calls, finishReason, usage, ...defined({ sent }) })
    this.#compaction.learn(marked)
    this.#stream.push(marked)
    const state = await this.#runCalls(calls, finishReason)
    if (state === 'stopped') return { type: 'stopped' }
    this.#stream.push({ type: 'finish-step' })
    // Whoever is told that the run waits or has ended finds its words in the document.
    await this.#stream.stepSynced()
    return this.#endAfter(state, finishReason, isAnswer && !isCorrected)
  }

  /** How the run ends after a step; undefined if another step follows. */
  #endAfter(state: 'settled' | 'parked', finishReason: FinishReason, isAnswer: boolean): End | undefined {
    if (state === 'parked') return { type: 'parked' }
    if (finishReason === 'error')
      return { type: 'failed', code: 'MODEL_STREAM_BROKEN', error: 'The model ended its answer with an error.' }
    if (isAnswer || finishReason === 'content-filter') return this.#endOfAnswer(finishReason)
    if (this.#cutSteps < CUT_STEPS) return undefined
    return { type: 'finish', finishReason, problem: keepsReachingLimit(this.#cutSteps) }
  }

  /** A budget that is kept by an estimate is not kept exactly: that is said once. */
  #sayEstimated(): void {
    const { talk, budget } = this.#plan
    const { tokenBudget } = budget
    if (tokenBudget === undefined || this.#spending.usage.estimated === true) return
    this.#io.notice(
      `${talk.model.name} does not say how many tokens its replies use. The budget of ${tokenBudget} tokens is kept by an estimate.`,
    )
  }

  /** The model is done, or believes so. */
  #endOfAnswer(reason: FinishReason): End {
    const finishReason = toFinalReason(reason)
    const problem = answerProblem(finishReason, this.#stream.message) ?? this.#answer.problem
    return { type: 'finish', finishReason, problem }
  }

  /** Tells of calls that the reply only shows. True if the model is asked to make the one that it ends with. */
  async #reportShown(shown: readonly SyntaxDiagnostic[], reason: FinishReason, isAnswer: boolean): Promise<boolean> {
    const mayAskAgain = isAnswer && !cutShort.has(reason) && this.#checkBudget() === undefined && !this.#signal.aborted
    const { chunks, isCorrected } = await this.#shown.report(shown, this.#stream.message, mayAskAgain)
    for (const chunk of chunks) this.#stream.push(chunk)
    return isCorrected
  }

  /** An answer that is not in the form that was asked for is as if it had not been given, once. */
  async #takesBack(reason: FinishReason, usage: Usage): Promise<boolean> {
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
      isBlind: this.#isBlind,
    }
    return new GrowingPrompt([...this.#plan.messages, ...earlier], this.#stream.fold, shared)
  }

  async #refreshTools(): Promise<void> {
    await this.#plan.tools.refresh()
    if (!this.#offer.update([...this.#stream.earlier, this.#stream.message])) return
    this.#prompt = this.#createPrompt()
  }

  /** A prompt that the provider finds too long is sent once more, with its older turns summarised. */
  async #askFitting(): Promise<ModelEnd> {
    const end = await this.#askSeeing()
    const isSilent = this.#stream.message?.parts.at(-1)?.type === 'step-start'
    if (end.type !== 'failed' || end.failure.code !== 'MODEL_CONTEXT_EXCEEDED' || !isSilent) return end
    // The summary belongs to no step.
    this.#stream.push({ type: 'finish-step' })
    const fitted = await this.#compaction.refuse(end.failure)
    if (fitted.type !== 'fits') return fitted
    this.#calls++
    this.#stream.push({ type: 'start-step' })
    return this.#askSeeing()
  }

  /** A model that takes no pictures is asked again without those of tools: else each further run would meet them too. */
  async #askSeeing(): Promise<ModelEnd> {
    const end = await this.#askModel()
    if (end.type !== 'failed' || end.failure.code !== 'MODEL_NO_PICTURES' || this.#isBlind) return end
    const { message, earlier } = this.#stream
    const { messages, talk } = this.#plan
    const conversation = [...messages, ...earlier, ...(message === undefined ? [] : [message])]
    if (!conversation.some(hasFilesOfTools)) return end
    this.#isBlind = true
    this.#calls++
    this.#prompt = this.#createPrompt()
    this.#io.notice(`${talk.model.name} takes no pictures: those that tools gave are described to it in words.`)
    return this.#askModel()
  }

  #askModel(): Promise<ModelEnd> {
    const { talk, answer } = this.#plan
    const step = {
      tools: this.#offer.definitions,
      readOnly: (name: string) => this.#offer.tools.get(name)?.effect === 'read',
      prompt: this.#prompt,
      again: this.#answer.again,
      answerSchema: answer?.schema,
      step: this.#calls,
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

  /** The one exit. */
  async #finish(wanted: End): Promise<LoopResult> {
    const { model } = this.#plan.talk
    const { usage } = this.#spending
    const metadata = { usage, model: model.name, steps: this.#steps }
    const reason = getReason(this.#signal)
    // An answer that is complete stays one when the disk fails after it: else the next run would answer again.
    const end = wanted.type === 'finish' ? wanted : this.#asSaved(wanted)
    this.#caller.removeEventListener('abort', this.#stop)
    this.#over.abort()
    this.#io.people.steering.close()
    if ((end.type === 'stopped' || end.type === 'failed') && usage.totalTokens > 0) {
      this.#stream.push({ type: 'message-metadata', messageMetadata: metadata, metadata })
    }
    this.#stream.end(toEnding(end, metadata, reason))
    await this.#stream.synced()
    await this.#windDown()
    const last = this.#asSaved(end)
    const finishReason = getFinishReason(last)
    const message = this.#stream.finalMessage()
    const messages = [...this.#stream.earlier, message]
    const result = { message, messages, usage, steps: this.#steps, ...defined({ finishReason }) }
    if (last.type === 'failed') return { ...result, status: 'failed', code: last.code, error: last.error }
    if (last.type !== 'finish') return { ...result, status: last.type }
    if (last.problem === undefined) return { ...result, status: 'done', ...defined({ output: this.#answer.output }) }
    this.#io.notice(last.problem.error)
    return { ...result, status: 'failed', ...last.problem }
  }

  /** A run that could not be kept has failed, however it ended. */
  #asSaved(end: End): End {
    const { unsaved } = this.#stream
    return unsaved === undefined ? end : notSaved(unsaved.error)
  }

  /** A program that was told to end gets the time for it, so that none is left behind when this process ends too. */
  async #windDown(): Promise<void> {
    const { programs } = this.#context
    if (programs.size === 0) return
    const over = new AbortController()
    const ended = Promise.allSettled(programs).then(() => over.abort())
    await Promise.race([ended, this.#io.pause(WINDING_DOWN_MS, over.signal)])
  }
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

/** The highest number of a call in the message that the run continues, as the document and the log have it. */
function findLastCall({ continued, resumed }: Plan): number {
  const { message } = resumed?.fold ?? {}
  return Math.max(continued?.lastCall ?? 0, message === undefined ? 0 : lastCallNumber([message]))
}

function toEnd(end: Exclude<ModelEnd, { type: 'finished' }>): End {
  return end.type === 'stopped' ? end : { type: 'failed', code: end.failure.code, error: end.failure.message }
}

function tookTooLong(runMs: number): End {
  const error = `The run has worked for ${describeTime(runMs)}, which is its limit. Run it again to continue, or raise the limit with --max-time.`
  return { type: 'failed', code: 'RUN_MAX_TIME', error }
}

/** Why it was stopped, where somebody said so: that a run was stopped is clear without it. */
function getReason({ reason }: AbortSignal): { reason?: string } {
  if (typeof reason === 'string') return { reason }
  return reason instanceof Error && reason.name !== 'AbortError' ? { reason: reason.message } : {}
}

function isStepStart({ type }: MessagePart): boolean {
  return type === 'step-start'
}

function hasFilesOfTools({ parts }: Message): boolean {
  return parts.some(part => isToolPart(part) && asContentOutput(part.toolInvocation.output) !== undefined)
}
