import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { ArgotError, type Chunk, type JsonSchema, type ToolDefinition } from '@argot/core'
import { ReplyReader } from '@argot/core/ai-sdk'
import type { GrowingPrompt } from '@argot/core/ai-sdk/internal'
import { english, limits } from '@argot/core/stream'
import { defined, type FinishReason } from '@argot/core/stream/internal'
import type { SyntaxDiagnostic } from '@argot/core/syntax/internal'
import { describeModelError } from '../model/errors/model-error.ts'
import type { ModelFailure, Usage } from '../model/model.ts'
import { openReply, type ReplyParts } from '../model/require-finish.ts'
import { describeTime } from '../words/describe-time.ts'
import { BlankText } from './answer/blank-text.ts'
import { UsageEstimate } from './estimate-usage.ts'
import { IdleLimit, type TimeLimits } from './idle-limit.ts'
import type { LeakWatch } from './leak-watch.ts'
import type { LoopIo, Talk } from './plan.ts'
import { stopSequences } from './stop-sequences.ts'

export interface ModelStep {
  prompt: Pick<GrowingPrompt, 'build'>
  tools: readonly ToolDefinition[]
  readOnly: (toolName: string) => boolean
  /** The final answer's schema, for models that take it separately from the prompt. */
  answerSchema?: JsonSchema | undefined
  /** Messages after the prompt, for this call only. */
  extraMessages?: readonly LanguageModelV3Message[] | undefined
  leaks: LeakWatch
  /** The message has reached its size limit, so reading stops. */
  isFull: () => boolean
  step: number
  nextCallId: () => string
  /** Takes each chunk. A call is `runnable` unless the model failed or was stopped partway. */
  take: (chunk: Chunk, runnable: boolean) => void
}

export type ModelIo = Omit<LoopIo, 'people'>

export type ModelEnd =
  /** `shownCalls`: text in the reply that looked like a call but wasn't one. */
  | { type: 'finished'; finishReason: FinishReason; usage: Usage; shownCalls: readonly SyntaxDiagnostic[] }
  | { type: 'stopped' }
  | { type: 'failed'; failure: ModelFailure }

type ModelAttempt = ModelEnd | { type: 'retry'; failure: ModelFailure }

/** The first attempt and two retries, with pauses that a person can wait for. */
const ATTEMPTS = 3
const LONGEST_WAIT_MS = 60_000

/** Retries with growing pauses, but only if the failure is retryable and the reply hasn't begun. Never rejects. */
export async function callModel(talk: Talk, step: ModelStep, io: ModelIo): Promise<ModelEnd> {
  const { signal, notice, pause } = io
  for (let attempt = 1; ; attempt++) {
    const end = await tryModel(talk, step, io)
    if (signal.aborted) return { type: 'stopped' }
    if (end.type !== 'retry') return end
    const { failure } = end
    if (attempt === ATTEMPTS) return { type: 'failed', failure }
    const delay = failure.retryAfterMs ?? 1000 * 2 ** (attempt - 1)
    if (delay > LONGEST_WAIT_MS) return { type: 'failed', failure: laterFailure(failure, delay, io.now()) }
    const what = failure.message.split('. ', 1)[0]!.replace(/\.$/, '')
    notice(`${what}. Trying again in ${Math.ceil(delay / 1000)} s.`)
    await pause(delay, signal)
    if (signal.aborted) return { type: 'stopped' }
  }
}

/** The provider asks for a wait beyond our limit, and would refuse an earlier retry. */
function laterFailure(failure: ModelFailure, delay: number, now: number): ModelFailure {
  const at = new Date(Math.min(now + delay, 8.64e15)).toISOString().replace(/\.\d+Z$/, 'Z')
  const message = `${failure.message} The provider asks you to wait ${describeTime(delay)}. Run it again after ${at}.`
  return { ...failure, message, retryable: false }
}

async function tryModel(talk: Talk, modelStep: ModelStep, io: ModelIo): Promise<ModelAttempt> {
  const { model, syntax, limit, salvage } = talk
  const { tools, readOnly, take } = modelStep
  const { signal } = io
  const idle = new IdleLimit(talk, signal)
  const stopListening = model.onBytes?.(() => idle.restart())
  const stop = stopSequences(syntax, tools)
  const step = new ReplyReader({
    syntax,
    tools,
    limit,
    readOnly,
    salvage,
    stop,
    step: modelStep.step,
    nextId: modelStep.nextCallId,
  })
  const leaks = modelStep.leaks.begin(tools)
  const blanks = new BlankText()
  const estimate = new UsageEstimate()
  let hasBegun = false
  const takeAll = (chunks: readonly Chunk[], runnable: boolean): void => {
    if (chunks.length > 0) hasBegun = true
    for (const one of chunks) {
      leaks.push(one)
      for (const chunk of blanks.push(one)) take(chunk, runnable)
    }
  }
  const stopped = (): ModelAttempt => {
    takeAll(step.end(), false)
    return { type: 'stopped' }
  }
  const failed = (error: unknown): ModelAttempt => {
    if (signal.aborted) return stopped()
    const failure = describeModelError(error, model, io.redact, io.now())
    if (failure.retryable && !hasBegun) return { type: 'retry', failure }
    takeAll(step.end(), false)
    return { type: 'failed', failure }
  }
  let reader: ReplyParts | undefined
  const endSignal = idle.signal
  const cancel = (): void => {
    reader?.cancel(endSignal.reason).catch(() => {})
  }
  try {
    reader = await unlessStopped(openStream(talk, modelStep, { signal: endSignal, idle, estimate }), endSignal)
    if (endSignal.aborted) cancel()
    endSignal.addEventListener('abort', cancel, { once: true })
    while (!step.stopped) {
      const { done, value } = await reader.read()
      if (done || endSignal.aborted) break
      idle.restart()
      estimate.push(value)
      takeAll(step.push(value), true)
      if (step.error !== undefined || modelStep.isFull() || estimate.length > talk.replyLength) break
    }
  } catch (error) {
    return failed(idle.exceeded === undefined ? error : outOfTime(talk, idle.exceeded))
  } finally {
    endSignal.removeEventListener('abort', cancel)
    idle.end()
    stopListening?.()
    cancel()
  }
  if (signal.aborted) return stopped()
  if (idle.exceeded !== undefined) return failed(outOfTime(talk, idle.exceeded))
  if (step.error !== undefined) return failed(step.error)
  if (modelStep.isFull()) {
    const message = `The message is longer than ${limits.messageLength} characters, so the rest was dropped. Start a new conversation.`
    takeAll(step.end(), false)
    return { type: 'failed', failure: { code: 'STREAM_MESSAGE_TOO_LONG', message, retryable: false } }
  }
  if (estimate.length > talk.replyLength) return failed(tooLong(talk))
  const { finish } = step
  if (finish === undefined && !step.stopped)
    return failed(new ArgotError('MODEL_STREAM_BROKEN', 'The stream ended before the model finished.'))
  takeAll(step.end(), true)
  const diagnostics = leaks.end() ?? step.diagnostics
  reportSalvaged(step, talk, io)
  // A reply that isn't read to its end, because its call is complete, has no usage figures.
  const usage = estimate.complete(finish?.usage)
  return { type: 'finished', finishReason: finish?.reason ?? 'tool-calls', usage, shownCalls: diagnostics }
}

/** A model doesn't mean to leak several calls in one reply, so the user should know what happens to them. */
function reportSalvaged({ salvaged, stopped }: ReplyReader, { salvage, limit }: Talk, { notice }: ModelIo): void {
  if (salvaged === 0) return
  if (stopped) {
    notice(`The reply continues after the call in its text (${salvage?.name}). The limit "${limit}" drops the rest.`)
  } else if (salvaged > 1) {
    notice(
      `The reply contains ${salvaged} calls in its text (${salvage?.name}), and all of them run. With the limit "one", only the first would run.`,
    )
  }
}

function tooLong({ model, replyLength }: Talk): ArgotError {
  const message = `The reply from ${model.name} is longer than ${english.number(replyLength)} characters, so the rest was dropped. If it needs more, raise the limit with --max-reply.`
  return new ArgotError('MODEL_REPLY_TOO_LONG', message)
}

function outOfTime(talk: Talk, limit: keyof TimeLimits): ArgotError {
  const { model } = talk
  const duration = describeTime(talk[limit])
  if (limit === 'replyMs') {
    const message = `${model.name} took longer than ${duration} for one reply, so Argot stopped waiting. If it needs more time, raise the limit with --reply-timeout.`
    return new ArgotError('MODEL_TOO_SLOW', message)
  }
  const message = `${model.name} sent nothing for ${duration}, so Argot stopped waiting. If it needs more time, raise the limit with --idle-timeout.`
  return new ArgotError('MODEL_SILENT', message)
}

async function openStream(
  { model, syntax, settings }: Talk,
  step: ModelStep,
  { signal, idle, estimate }: { signal: AbortSignal; idle: IdleLimit; estimate: UsageEstimate },
): Promise<ReplyParts> {
  const { tools } = step
  const language = model.for?.({ syntax, tools, answerSchema: step.answerSchema }) ?? model.language
  const { prompt, tools: offeredTools } = await step.prompt.build(language)
  signal.throwIfAborted()
  // The time spent building the prompt isn't the model's.
  idle.restart()
  const more = defined({ tools: offeredTools, stopSequences: stopSequences(syntax, tools) })
  const messages = [...prompt, ...(step.extraMessages ?? [])]
  estimate.setPrompt({ prompt: messages, tools: offeredTools })
  const options = { prompt: messages, abortSignal: signal, ...model.settings(settings), ...more }
  return openReply(language, options)
}

/** Rejects when the run stops, even if the model ignores the signal. */
function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    if (signal.aborted) stop()
  })
}
