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

/** What one step asks its model, and who takes the reply. */
export interface ModelStep {
  /** What was said so far. */
  prompt: Pick<GrowingPrompt, 'build'>
  tools: readonly ToolDefinition[]
  readOnly: (toolName: string) => boolean
  /** What the final answer must fit, for models that must be told apart from the prompt. */
  answerSchema?: JsonSchema | undefined
  /** What the model is told after that, for this call alone. */
  again?: readonly LanguageModelV3Message[] | undefined
  /** Watches the text for calls that should have been native ones. */
  leaks: LeakWatch
  /** The message takes no more: nothing further is read. */
  isFull: () => boolean
  /** The number of the step, for ids. */
  step: number
  /** The id of a call that the model gave none. */
  nextCallId: () => string
  /** Takes each chunk; a call is `runnable` unless the model failed or was stopped in the middle. */
  take: (chunk: Chunk, runnable: boolean) => void
}

/** What a model call has from outside. */
export type ModelIo = Omit<LoopIo, 'people'>

/** How a model call ended. */
export type ModelEnd =
  /** `shown`: what looked like a call in the text of a reply and was none. */
  | { type: 'finished'; finishReason: FinishReason; usage: Usage; shown: readonly SyntaxDiagnostic[] }
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

/** A provider that asks for more patience than that is believed: asking it earlier would only be refused again. */
function laterFailure(failure: ModelFailure, delay: number, now: number): ModelFailure {
  const at = new Date(Math.min(now + delay, 8.64e15)).toISOString().replace(/\.\d+Z$/, 'Z')
  const message = `${failure.message} It asks to wait for ${describeTime(delay)}: run it again after ${at}.`
  return { ...failure, message, retryable: false }
}

async function tryModel(talk: Talk, asked: ModelStep, io: ModelIo): Promise<Attempt> {
  const { model, syntax, limit, salvage } = talk
  const { tools, readOnly, take } = asked
  const { signal } = io
  const idle = new IdleLimit(talk, signal)
  const deafen = model.onBytes?.(() => idle.heard())
  const stop = stopSequences(syntax, tools)
  const step = new ReplyReader({
    syntax,
    tools,
    limit,
    readOnly,
    salvage,
    stop,
    step: asked.step,
    nextId: asked.nextCallId,
  })
  const leaks = asked.leaks.begin(tools)
  const blanks = new BlankText()
  const estimate = new UsageEstimate()
  let hasSpoken = false
  const takeAll = (chunks: readonly Chunk[], runnable: boolean): void => {
    if (chunks.length > 0) hasSpoken = true
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
    const failure = describeModelError(error, model, io.redact, io.now())
    if (failure.retryable && !hasSpoken) return { type: 'retry', failure }
    takeAll(step.end(), false)
    return { type: 'failed', failure }
  }
  let reader: ReplyParts | undefined
  const ended = idle.signal
  const cancel = (): void => {
    reader?.cancel(ended.reason).catch(() => {})
  }
  try {
    reader = await unlessStopped(openStream(talk, asked, { signal: ended, idle, estimate }), ended)
    if (ended.aborted) cancel()
    ended.addEventListener('abort', cancel, { once: true })
    while (!step.stopped) {
      const { done, value } = await reader.read()
      if (done || ended.aborted) break
      idle.heard()
      estimate.push(value)
      takeAll(step.push(value), true)
      if (step.error !== undefined || asked.isFull() || estimate.length > talk.replyLength) break
    }
  } catch (error) {
    return failed(idle.over === undefined ? error : outOfTime(talk, idle.over))
  } finally {
    ended.removeEventListener('abort', cancel)
    idle.end()
    deafen?.()
    cancel()
  }
  if (signal.aborted) return stopped()
  if (idle.over !== undefined) return failed(outOfTime(talk, idle.over))
  if (step.error !== undefined) return failed(step.error)
  if (asked.isFull()) {
    const message = `The message is longer than ${limits.messageLength} characters, and the rest of it is not read. Start a new conversation.`
    takeAll(step.end(), false)
    return { type: 'failed', failure: { code: 'STREAM_MESSAGE_TOO_LONG', message, retryable: false } }
  }
  if (estimate.length > talk.replyLength) return failed(tooLong(talk))
  const { finish } = step
  if (finish === undefined && !step.stopped)
    return failed(new ArgotError('MODEL_STREAM_BROKEN', 'The stream ended before the model had finished.'))
  takeAll(step.end(), true)
  const diagnostics = leaks.end() ?? step.diagnostics
  describeWhatWasSalvaged(step, talk, io)
  // A reply that is not read to its end, because its call is complete, says nothing of what it used.
  const usage = estimate.complete(finish?.usage)
  return { type: 'finished', finishReason: finish?.reason ?? 'tool-calls', usage, shown: diagnostics }
}

/** A reply with several leaked calls is not what its model meant to do: somebody should know what becomes of them. */
function describeWhatWasSalvaged(
  { salvaged, stopped }: ReplyReader,
  { salvage, limit }: Talk,
  { notice }: ModelIo,
): void {
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

function tooLong({ model, replyLength }: Talk): ArgotError {
  const message = `The reply of ${model.name} is longer than ${english.number(replyLength)} characters, and the rest of it is not read. If it needs more, raise the limit with --max-reply.`
  return new ArgotError('MODEL_REPLY_TOO_LONG', message)
}

function outOfTime(talk: Talk, limit: keyof TimeLimits): ArgotError {
  const { model } = talk
  const lasted = describeTime(talk[limit])
  if (limit === 'replyMs') {
    const message = `${model.name} took longer than ${lasted} for one reply, and its call was given up. If it needs more time, raise the limit with --reply-timeout.`
    return new ArgotError('MODEL_TOO_SLOW', message)
  }
  const message = `${model.name} was silent for ${lasted}, and its call was given up. If it needs more time, raise the limit with --idle-timeout.`
  return new ArgotError('MODEL_SILENT', message)
}

async function openStream(
  { model, syntax, settings }: Talk,
  step: ModelStep,
  { signal, idle, estimate }: { signal: AbortSignal; idle: IdleLimit; estimate: UsageEstimate },
): Promise<ReplyParts> {
  const { tools } = step
  const language = model.for?.({ syntax, tools, answerSchema: step.answerSchema }) ?? model.language
  const { prompt, tools: offered } = await step.prompt.build(language)
  signal.throwIfAborted()
  // What was read for the prompt was not the time of the model.
  idle.heard()
  const more = defined({ tools: offered, stopSequences: stopSequences(syntax, tools) })
  const asked = [...prompt, ...(step.again ?? [])]
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
