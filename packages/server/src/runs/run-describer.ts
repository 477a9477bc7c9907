import { join } from 'node:path'
import type { Store } from '@argot/agent'
import type { RunEntry } from '@argot/agent/internal'
import type { Message } from '@argot/core'
import { defined, firstCharacters } from '@argot/core/stream/internal'
import type { PendingApproval } from '../api/bodies.ts'
import type { RunResource } from '../api/index.ts'
import { isDocument } from '../guard/document-path.ts'
import type { LiveRun } from './live/live-run.ts'
import type { LogSummary } from './log-summary.ts'
import type { Queue, QueuedJob } from './queue/queue.ts'

const documentGone = { code: 'SERVER_NOT_FOUND', message: "The run's document no longer exists." }
const foreignLog = {
  code: 'SERVER_FOREIGN_LOG',
  message: "None of this user's processes wrote the run's log, so the run cannot continue. Send the document again.",
}
const processLost = { message: 'The process that ran it has ended. Send the document again to continue.' }

const overStates: ReadonlySet<string> = new Set(['done', 'failed', 'stopped'])

export function isOver(state: string): boolean {
  return overStates.has(state)
}

export interface RunFilter {
  state?: string | undefined
  document?: string | undefined
  isOpen?: boolean | undefined
  limit?: number | undefined
}

export class RunDescriber {
  readonly #store: Store
  readonly #queue: Queue

  constructor(store: Store, queue: Queue) {
    this.#store = store
    this.#queue = queue
  }

  /**
   * A run whose files can't be read is described as such, and doesn't affect others. Undefined if its document is
   * renamed or removed meanwhile: then it has to be found again.
   */
  async describe(live: LiveRun): Promise<RunResource | undefined> {
    const { path } = live
    if (live.isGone) return undefined
    if (path === undefined) return live.job && this.#describeUnbegun(live.job)
    if (live.error !== undefined) return describeUnreadable(live.run, path, live.job, live.error)
    const isStopping = live.state !== 'ended' && (await live.posts()).some(({ type }) => type === 'stop')
    const queue = await this.#waitingFor(path, live.run)
    return live.isGone ? undefined : this.#describe(live, path, isStopping, queue)
  }

  #describe(
    { run, state: logState, summary, job }: LiveRun,
    path: string,
    isStopping: boolean,
    queue: RunResource['queue'],
  ): RunResource {
    const entry: RunEntry = { run, path, state: logState ?? 'ended' }
    const isActive = job !== undefined && job.state !== 'finished'
    const isGone = this.#isGone(entry)
    const isForeign = isUnheld(entry) && summary.offset > 0 && !summary.isOwn
    const state = isGone || isForeign ? 'failed' : getState(entry, summary, isActive, isStopping)
    const isWaiting = state === 'waiting'
    const { startedAt, endedAt, offset, steps, usage, finishReason } = summary
    const isLost = entry.state === 'interrupted' && !isActive
    const { code, message }: { code?: string; message?: string | undefined } = isGone
      ? documentGone
      : isForeign
        ? foreignLog
        : isLost
          ? (job?.failure ?? processLost)
          : { message: summary.error }
    const error = state === 'failed' ? message : undefined
    return {
      id: run,
      document: path,
      state,
      offset,
      startedAt: new Date(startedAt === 0 ? (job?.job.at ?? 0) : startedAt).toISOString(),
      steps,
      usage,
      pending: state === 'waiting' || state === 'running' ? getQuestions(summary, entry.state === 'running') : [],
      outputs: isWaiting ? summary.open : [],
      queue,
      ...defined({
        finishReason,
        error,
        code,
        endedAt: endedAt === undefined ? undefined : new Date(endedAt).toISOString(),
      }),
    }
  }

  /** No process can continue a run whose document was removed, until it is back. */
  #isGone({ state, path }: RunEntry): boolean {
    const { root } = this.#store
    return isUnheld({ state }) && root !== undefined && !isDocument(join(root, path))
  }

  async #describeUnbegun({ job, state, failure }: QueuedJob): Promise<RunResource> {
    const { run, document, at } = job
    const name = state === 'finished' ? (failure === undefined ? 'stopped' : 'failed') : 'queued'
    return {
      id: run,
      document,
      state: name,
      offset: 0,
      startedAt: new Date(at).toISOString(),
      steps: 0,
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      pending: [],
      outputs: [],
      queue: await this.#waitingFor(document, run),
      ...defined({ error: failure?.message, code: failure?.code }),
    }
  }

  async #waitingFor(document: string, except: string): Promise<{ id: string; text: string }[]> {
    const jobs = await this.#queue.list({ document })
    return jobs
      .filter(({ job, state }) => state === 'waiting' && job.run !== except)
      .map(({ job }) => ({ id: job.run, text: joinText(job.input) }))
  }
}

function describeUnreadable(run: string, path: string, queued: QueuedJob | undefined, error: unknown): RunResource {
  return {
    id: run,
    document: path,
    state: 'failed',
    offset: 0,
    startedAt: new Date(queued?.job.at ?? 0).toISOString(),
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    pending: [],
    outputs: [],
    queue: [],
    // Without the path, which clients must not see.
    error: `This run's log cannot be read (${(error as NodeJS.ErrnoException | null)?.code ?? 'it is damaged'}).`,
    code: 'SERVER_RUN_UNREADABLE',
  }
}

/** The questions that can be answered now. Some need the process that asks them. */
export function getQuestions({ pending, fleeting }: LogSummary, isHeld: boolean): PendingApproval[] {
  return isHeld || fleeting.size === 0 ? pending : pending.filter(({ approvalId }) => !fleeting.has(approvalId))
}

/** No process has it, and it isn't over. */
export function isUnheld({ state }: Pick<RunEntry, 'state'>): boolean {
  return state === 'waiting' || state === 'interrupted'
}

function getState(entry: RunEntry, summary: LogSummary, isActive: boolean, isStopping: boolean): RunResource['state'] {
  switch (entry.state) {
    case 'ended':
      if (summary.ending === 'abort') return 'stopped'
      return summary.finishReason === 'error' || summary.error !== undefined ? 'failed' : 'done'
    case 'waiting':
      return isStopping ? 'stopping' : 'waiting'
    case 'running':
      if (isStopping) return 'stopping'
      return summary.pending.length > 0 && summary.open.length === 0 ? 'waiting' : 'running'
    case 'interrupted':
      return isActive ? (isStopping ? 'stopping' : 'running') : 'failed'
  }
}

function joinText(message: Message | undefined): string {
  const texts = (message?.parts ?? []).map(part => (part.type === 'text' ? part.text : ''))
  return firstCharacters(texts.join(''), 2000)
}
