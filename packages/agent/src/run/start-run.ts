import { randomBytes, randomUUID } from 'node:crypto'
import { ArgotError, type Message } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import { defined } from '@argot/core/stream/internal'
import type { ApprovalAnswer } from '../approval/approval.ts'
import type { Approvals } from '../approval/approvals.ts'
import type { ClientOutput, ClientOutputs } from '../loop/calls/client-outputs.ts'
import { ChunkQueue } from '../loop/chunk-queue.ts'
import { Steering } from '../loop/steering.ts'
import { toMessagePost } from '../store/message-post.ts'
import type { Store } from '../store/store.ts'
import { linkSignals } from '../tool/linked-signal.ts'
import { createRedactor } from '../tool/output/redact.ts'
import type { InnerRun } from '../tool/tool.ts'
import { toMessage } from '../words/to-message.ts'
import { ToolFailure } from '../words/tool-failure.ts'
import { answerText } from './answer-text.ts'
import { BadDocument } from './document/bad-document.ts'
import { inputMessage, refuseLinkedFiles } from './input-message.ts'
import type { Run, RunResult } from './run-options.ts'

/** What a run's work receives, and what it reports to the holder of the run. */
export class RunContext {
  readonly chunks: ChunkQueue
  /** Aborted with the caller's signal, when the run is stopped, or when its reader leaves. */
  readonly signal: AbortSignal
  /** For a run that an earlier process began, its original id. */
  id: string
  approvals: Approvals | undefined
  outputs: ClientOutputs | undefined
  readonly steering: Steering = new Steering()
  /** The nested runs of agents, by the call that each answers. */
  readonly inner: Map<string, InnerRun> = new Map()
  /** Resolves with the store once the run's log is open there; `none` for a run without a log. */
  readonly log: Promise<Store | 'none'>
  #resolveLog: (store: Store | 'none') => void = () => {}
  #posted: Promise<void> = Promise.resolve()

  constructor(id: string, chunks: ChunkQueue, signal: AbortSignal) {
    this.id = id
    this.chunks = chunks
    this.signal = signal
    this.log = new Promise(resolve => {
      this.#resolveLog = resolve
    })
  }

  /** Answers a question of this run, or `CALL/ID` of the agent that answers the call. */
  answer(approvalId: string, answer: ApprovalAnswer, inputHash?: string): boolean {
    if (this.approvals?.answer(approvalId, answer, inputHash) === true) return true
    for (const [call, context] of this.inner) {
      if (!approvalId.startsWith(`${call}/`)) continue
      if (context.answer(approvalId.slice(call.length + 1), answer, inputHash)) return true
    }
    return false
  }

  giveOutput(toolCallId: string, output: ClientOutput): boolean {
    return this.outputs?.give(toolCallId, output) === true
  }

  /** Denies the run's questions with the text. True once the log has the message, false if the run ended without it. */
  join(message: Message): Promise<boolean> {
    const joining = this.steering.add(message)
    const { denial } = this.steering
    if (denial !== undefined) this.denyAll(denial)
    return joining
  }

  /** Denies everything that this run and its nested runs are asking now. */
  denyAll(denial: ApprovalAnswer): void {
    for (const { approvalId } of this.approvals?.pending ?? []) this.approvals?.answer(approvalId, denial)
    for (const context of this.inner.values()) context.denyAll(denial)
  }

  /** Like `join`, for a message of this process: also posted, so that it survives a crash before the next step. */
  async steer(input: string | Message): Promise<boolean> {
    const message = inputMessage(randomUUID(), { input }, Date.now())
    if (message === undefined || this.steering.isClosed) return false
    refuseLinkedFiles(message)
    const joining = this.join(message)
    this.#posted = this.#posted.then(() => this.#post(message)).catch(() => {})
    await this.#posted
    return joining
  }

  async #post(message: Message): Promise<void> {
    const store = await this.log
    if (store !== 'none') await store.inbox.post(this.id, toMessagePost(message))
  }

  /** Reports that the run's log is open in this store, or that there will be none. Only the first report applies. */
  reportLog(store: Store | 'none'): void {
    this.#resolveLog(store)
  }
}

export interface StartOptions {
  signal?: AbortSignal | undefined
  env?: Readonly<Record<string, string | undefined>> | undefined
}

/** Starts a run's work and returns its chunks and its result. An error from the work makes the run fail. */
export function startRun(
  id: string,
  { signal: outer, env = process.env }: StartOptions,
  work: (context: RunContext) => Promise<RunResult>,
): Run {
  const stop = new AbortController()
  const chunks = new ChunkQueue(() => stop.abort(new Error('The reader of the run left.')))
  const { signal, release } = linkSignals([outer, stop.signal])
  const context = new RunContext(id, chunks, signal)
  const result = work(context)
    .catch((error: unknown) => failBeforeStart(context, error, createRedactor(env)))
    .finally(() => {
      release()
      chunks.close()
      context.steering.close()
      context.reportLog('none')
    })
  return {
    get id() {
      return context.id
    },
    result,
    text: answerText(result),
    stop: reason => stop.abort(reason ?? new DOMException('The run was stopped.', 'AbortError')),
    answer: (approvalId, answer) => context.answer(approvalId, answer),
    giveOutput: (toolCallId, output) => context.giveOutput(toolCallId, output),
    steer: input => context.steer(input),
    follow: (from, signal) => followRun(context, from, signal),
    [Symbol.asyncIterator]: () => chunks,
  }
}

async function* followRun(
  context: RunContext,
  from: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<LogLine> {
  const store = await context.log
  if (store === 'none') {
    throw new ArgotError('RUN_NO_LOG', 'This run keeps no log, so it supports only one reader. Give it a store.')
  }
  yield* store.logs.follow(context.id, from, signal)
}

/** A run that failed before its first chunk still reports that in its stream. */
function failBeforeStart(
  { chunks, id, signal }: RunContext,
  thrown: unknown,
  redact: (value: unknown) => unknown,
): RunResult {
  if (signal.aborted) return stopBeforeStart(chunks, id)
  const error = String(redact(toMessage(thrown)))
  const code = thrown instanceof ArgotError || thrown instanceof ToolFailure ? thrown.code : 'RUN_FAILED'
  const messageId = `msg-${id}`
  chunks.push({ type: 'start', messageId })
  chunks.push({ type: 'error', errorText: error })
  chunks.push({ type: 'finish', messageId, finishReason: 'error' })
  const diagnostics = thrown instanceof BadDocument ? thrown.diagnostics : undefined
  return { status: 'failed', text: '', code, error, ...defined({ diagnostics }) }
}

/** Stopping the run during its preparation is no failure. */
function stopBeforeStart(chunks: ChunkQueue, id: string): RunResult {
  chunks.push({ type: 'start', messageId: `msg-${id}` })
  chunks.push({ type: 'abort' })
  return { status: 'stopped', text: '' }
}

/** An id that sorts by time. */
export function newRunId(now: number): string {
  return `${now.toString(36).padStart(9, '0')}-${randomBytes(4).toString('hex')}`
}
