import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { ArgotError, type Chunk, type JsonSchema, type ToolDefinition } from '@argot/core'
import { ReplyReader } from '@argot/core/ai-sdk'
import type { GrowingPrompt } from '@argot/core/ai-sdk/internal'
import { english, limits } from '@argot/core/stream'
import { defined, type FinishReason } from '@argot/core/stream/internal'
import type { Syntax } from '@argot/core/syntax'
import type { CallLimit } from '@argot/core/syntax/internal'
import { describeModelError } from '../model/errors/model-error.ts'
import type { Model, ModelFailure, ModelSettings, Usage } from '../model/model.ts'
import { openReply, type ReplyParts } from '../model/require-finish.ts'
import { describeTime } from '../words/describe-time.ts'
import { BlankText } from './answer/blank-text.ts'
import { UsageEstimate } from './estimate-usage.ts'
import { IdleLimit, type TimeLimits } from './idle-limit.ts'
import type { LeakWatch } from './leak-watch.ts'
import { stopSequences } from './stop-sequences.ts'

export interface ModelCall {
  model: Model
  syntax: Syntax
  limit: CallLimit
  tools: readonly ToolDefinition[]
  readOnly: (toolName: string) => boolean
  /** What was said so far. */
  prompt: GrowingPrompt
  /** What the final answer must fit, for models that must be told apart from the prompt. */
  answerSchema?: JsonSchema | undefined
  /** What the model is told after that, for this call alone. */
  again?: readonly LanguageModelV3Message[] | undefined
  settings: ModelSettings
  salvage?: Syntax | undefined
  /** Watches the text for calls that should have been native ones. */
  leaks: LeakWatch
  /** How long one call of the model may be silent, and may take in all. */
  time: TimeLimits
  /** How many characters one reply may have. */
  replyLength: number
  now: () => number
  /** The message takes no more: nothing further is read. */
  isFull: () => boolean
  /** The number of the next attempt, for ids. */
  nextStep: () => number
  /** Takes each chunk; a call is `runnable` unless the model failed or was stopped in the middle. */
  take: (chunk: Chunk, runnable: boolean) => void
  signal: AbortSignal
  /** Takes the keys of the environment out of what a provider says. */
  redact: (value: unknown) => unknown
  notice: (text: string) => void
  pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** How a model call ended. */
export type ModelEnd =
  | { type: 'finished'; finishReason: FinishReason; usage: Usage }
  | { type: 'stopped' }
  | { type: 'failed'; failure: ModelFailure }

type Attempt = ModelEnd | { type: 'retry'; failure: ModelFailure }

/** The first attempt and two more, with pauses that a person can wait for. */
const ATTEMPTS = 3
const LONGEST_WAIT_MS = 60_000

/**
 * One step of the model, as chunks. Tried again with growing pauses, but only when the provider marks the error as
 * retryable and nothing has been said yet. Never rejects.
 */
export async function callModel(call: ModelCall): Promise<ModelEnd> {
  const { signal, notice, pause } = call
  for (let attempt = 1; ; attempt++) {
    const end = await tryModel(call)
    if (signal.aborted) return { type: 'stopped' }
    if (end.type !== 'retry') return end
    const { failure } = end
    if (attempt === ATTEMPTS) return { type: 'failed', failure }
    const delay = failure.retryAfterMs ?? 1000 * 2 ** (attempt - 1)
    if (delay > LONGEST_WAIT_MS) return { type: 'failed', failure: laterFailure(failure, delay, call.now()) }
    const what = failure.message.split('. ', 1)[0]!.replace(/\.$/, '')
    notice(`${what}. Trying again in ${Math.ceil(delay / 1000)} s.`)
    await pause(delay, signal)
    if (signal.aborted) return { type: 'stopped' }
  }
}

/** A provider that asks for more patience than that is believed: asking it earlier would only be refused again. */
function laterFailure(failure: ModelFailure, delay: number, now: number): ModelFailure {
  const at = new Date(Math.min(now + delay, 8.64e15)).toISOString().replace(/\.\d+Z$/, 'Z')
  const message = `${failure.message} It asks to wait for ${describeTime(delay)}: run it again after ${at}.`
  return { ...failure, message, retryable: false }
}

async function tryModel(call: ModelCall): Promise<Attempt> {
  const { model, syntax, tools, limit, readOnly, salvage, signal, take } = call
  const idle = new IdleLimit(call.time, signal)
  const deafen = model.onBytes?.(() => idle.heard())
  const stop = stopSequences(call.syntax, call.tools)
  const step = new ReplyReader({ syntax, tools, limit, readOnly, salvage, stop, step: call.nextStep() })
  const leaks = call.leaks.begin(tools)
  const blanks = new BlankText()
  const estimate = new UsageEstimate()
  let said = false
  const takeAll = (chunks: readonly Chunk[], runnable: boolean): void => {
    if (chunks.length > 0) said = true
    for (const one of chunks) {
      leaks.push(one)
      for (const chunk of blanks.push(one)) take(chunk, runnable)
    }
  }
  const stopped = (): Attempt => {
    takeAll(step.end(), false)
    return { type: 'stopped' }
  }
  const failed = (error: unknown): Attempt => {
    if (signal.aborted) return stopped()
    const failure = describeModelError(error, model, call.redact, call.now())
    if (failure.retryable && !said) return { type: 'retry', failure }
    takeAll(step.end(), false)
    return { type: 'failed', failure }
  }
  let reader: ReplyParts | undefined
  const ended = idle.signal
  const cancel = (): void => {
    reader?.cancel(ended.reason).catch(() => {})
  }
  try {
    reader = await unlessStopped(openStream(call, ended, idle, estimate), ended)
    if (ended.aborted) cancel()
    ended.addEventListener('abort', cancel, { once: true })
    while (!step.stopped) {
      const { done, value } = await reader.read()
      if (done || ended.aborted) break
      idle.heard()
      estimate.push(value)
      takeAll(step.push(value), true)
      if (step.error !== undefined || call.isFull() || estimate.length > call.replyLength) break
    }
  } catch (error) {
    return failed(idle.over === undefined ? error : outOfTime(call, idle.over))
  } finally {
    ended.removeEventListener('abort', cancel)
    idle.end()
    deafen?.()
    cancel()
  }
  if (signal.aborted) return stopped()
  if (idle.over !== undefined) return failed(outOfTime(call, idle.over))
  if (step.error !== undefined) return failed(step.error)
  if (call.isFull()) {
    const message = `The message is longer than ${limits.messageLength} characters, and the rest of it is not read. Start a new conversation.`
    takeAll(step.end(), false)
    return { type: 'failed', failure: { code: 'STREAM_MESSAGE_TOO_LONG', message, retryable: false } }
  }
  if (estimate.length > call.replyLength) return failed(tooLong(call))
  const { finish } = step
  if (finish === undefined && !step.stopped)
    return failed(new ArgotError('MODEL_STREAM_BROKEN', 'The stream ended before the model had finished.'))
  takeAll(step.end(), true)
  leaks.end()
  describeWhatWasSalvaged(step, call)
  // A reply that is not read to its end, because its call is complete, says nothing of what it used.
  const usage = estimate.complete(finish?.usage)
  return { type: 'finished', finishReason: finish?.reason ?? 'tool-calls', usage }
}

/** A reply with several leaked calls is not what its model meant to do: somebody should know what becomes of them. */
function describeWhatWasSalvaged({ salvaged, stopped }: ReplyReader, { salvage, limit, notice }: ModelCall): void {
  if (salvaged === 0) return
  if (stopped) {
    notice(
      `The reply continues after the call in its text (${salvage?.name}); by the limit "${limit}" the rest of it is dropped.`,
    )
  } else if (salvaged > 1) {
    notice(
      `The reply holds ${salvaged} calls in its text (${salvage?.name}), and all of them are run. With the limit "one" only the first would be.`,
    )
  }
}

function tooLong({ model, replyLength }: ModelCall): ArgotError {
  const message = `The reply of ${model.name} is longer than ${english.number(replyLength)} characters, and the rest of it is not read. If it needs more, raise the limit with --max-reply.`
  return new ArgotError('MODEL_REPLY_TOO_LONG', message)
}

function outOfTime({ model, time }: ModelCall, limit: keyof TimeLimits): ArgotError {
  const lasted = describeTime(time[limit])
  if (limit === 'totalMs') {
    const message = `${model.name} took longer than ${lasted} for one reply, and its call was given up. If it needs more time, raise the limit with --reply-timeout.`
    return new ArgotError('MODEL_TOO_SLOW', message)
  }
  const message = `${model.name} was silent for ${lasted}, and its call was given up. If it needs more time, raise the limit with --idle-timeout.`
  return new ArgotError('MODEL_SILENT', message)
}

async function openStream(
  call: ModelCall,
  signal: AbortSignal,
  idle: IdleLimit,
  estimate: UsageEstimate,
): Promise<ReplyParts> {
  const { model, syntax, tools, settings } = call
  const language = model.for?.({ syntax, tools, answerSchema: call.answerSchema }) ?? model.language
  const { prompt, tools: offered } = await call.prompt.build(language)
  signal.throwIfAborted()
  // What was read for the prompt was not the time of the model.
  idle.heard()
  const more = defined({ tools: offered, stopSequences: stopSequences(syntax, tools) })
  const asked = [...prompt, ...(call.again ?? [])]
  estimate.ask({ prompt: asked, tools: offered })
  const options = { prompt: asked, abortSignal: signal, ...model.settings(settings), ...more }
  return openReply(language, options)
}

/** Comes back when the run is stopped, even where the model does not listen to that. */
function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    if (signal.aborted) stop()
  })
}
