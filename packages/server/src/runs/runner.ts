import { setMaxListeners } from 'node:events'
import { type RunOptions, type RunResult, runDocument, type Store } from '@argot/agent'
import { type PlanOptions, TitleWriter } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import { Problem } from '../guard/problem.ts'
import { requestedModel } from '../guard/requested-model.ts'
import { findOwnershipProblem } from './find-ownership-problem.ts'
import { type ForwardContext, forwardMessages } from './forward-messages.ts'
import type { LiveRun } from './live/live-run.ts'
import type { RunBook } from './live/run-book.ts'
import type { Job, JobFailure, Queue } from './queue/queue.ts'
import type { Relaxations } from './relaxations.ts'

/** Options for every run of a server, besides those from the sender. */
export type ServerRunOptions = PlanOptions &
  Pick<
    RunOptions,
    | 'model'
    | 'syntax'
    | 'approve'
    | 'rules'
    | 'tools'
    | 'sandbox'
    | 'interrupted'
    | 'allowPaths'
    | 'allowPrivateAddresses'
    | 'allowExec'
    | 'skipUntrusted'
    | 'env'
    | 'cwd'
    | 'hasFolder'
    | 'configFolder'
    | 'now'
  >

export interface RunnerOptions {
  store: Store
  queue: Queue
  book: RunBook
  run: ServerRunOptions
  runsAtOnce: number
  relaxations: Relaxations | undefined
  /** For messages that a run didn't take. */
  forward: ForwardContext
  notice: (text: string, run: string) => void
}

const RETRY_MS = 1000

interface RunningJob {
  document: string
  hasBegun: boolean
  stop: AbortController
}

/** Takes jobs and runs them. A run that waits for an answer is parked, and holds no resources of this process. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #stop: AbortController = new AbortController()
  readonly #leave: AbortController = new AbortController()
  #dispatching: Promise<void> = Promise.resolve()
  readonly #work: Set<Promise<void>> = new Set()
  /** How many posts each run had when it was last started. */
  readonly #postCounts: Map<string, number> = new Map()
  readonly #titles: TitleWriter = new TitleWriter()
  readonly #running: Map<string, RunningJob> = new Map()

  constructor(options: RunnerOptions) {
    this.#options = options
    // Every run adds a listener.
    setMaxListeners(0, this.#leave.signal)
  }

  start(): void {
    this.#dispatching = this.#dispatch()
  }

  get isFull(): boolean {
    return this.#work.size >= this.#options.runsAtOnce
  }

  /** False while this process has taken a run but not written anything yet. True for runs that are elsewhere. */
  hasBegun(run: string): boolean {
    return this.#running.get(run)?.hasBegun !== false
  }

  /** Whether a process is working on the run and has written something in it. */
  isWorkingOn({ run, state }: LiveRun): boolean {
    return state === 'running' && this.hasBegun(run)
  }

  /** Leaves everything unchanged for the next process to continue. Resolves when no more writes happen. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#leave.abort()
    await this.#dispatching
    await Promise.all([...this.#work, this.#titles.close()])
  }

  /**
   * Stops a run of this process that has no log yet. A run with a log gets the stop through its inbox. False if the run
   * isn't here.
   */
  stop(run: string): boolean {
    const running = this.#running.get(run)
    running?.stop.abort()
    return running !== undefined
  }

  async #dispatch(): Promise<void> {
    const { queue, book, runsAtOnce } = this.#options
    for (;;) {
      if (this.#work.size >= runsAtOnce) await Promise.race(this.#work)
      const job = await this.#take(queue)
      if (job === undefined) {
        if (this.#stop.signal.aborted || queue.lost?.aborted === true) return
        continue
      }
      const work = this.#do(job).finally(() => this.#work.delete(work))
      this.#work.add(work)
      book.noteTaken(job)
    }
  }

  /** Never rejects: if the queue fails, it tries again a little later. */
  async #take(queue: Queue): Promise<Job | undefined> {
    try {
      return await queue.take(this.#stop.signal)
    } catch (error) {
      this.#options.notice(error instanceof Error ? error.message : String(error), 'The queue')
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      return undefined
    }
  }

  /** Never rejects. */
  async #do(job: Job): Promise<void> {
    const end = await this.#runPatiently(job)
    if (end !== 'parked') this.#postCounts.delete(job.run)
    if (end === 'left') return
    await (end === 'parked' ? this.#park(job) : this.#finish(job, end)).catch(() => {})
  }

  /** A job is over only when all messages to it are handled. If the process dies before, the next one checks again. */
  async #finish(job: Job, failure: JobFailure | undefined): Promise<void> {
    const { book, forward } = this.#options
    await forwardMessages(book, job, forward)
    await book.finish(job, failure)
  }

  /** If the store is unavailable, waits until it is back and continues the run. */
  async #runPatiently(job: Job): Promise<JobFailure | undefined | 'parked' | 'left'> {
    for (;;) {
      const end = await this.#run(job).catch(toFailure)
      if (typeof end !== 'object' || end.code !== 'STORE_UNAVAILABLE') return end
      if (this.#leave.signal.aborted) return 'left'
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }

  /** Messages between the last check and the parking are handled, too. */
  async #park(job: Job): Promise<void> {
    const { book } = this.#options
    await book.park(job)
    const live = await book.find(job.run)
    const posts = (await live?.posts()) ?? []
    const isNews = posts.length !== this.#postCounts.get(job.run)
    this.#postCounts.delete(job.run)
    if (isNews && live?.hasWork(posts) === true) await book.enqueue(job)
  }

  /** Runs a job to its end, or until it waits for an answer. Runs it again if the answer has come meanwhile. */
  async #run(job: Job): Promise<JobFailure | undefined | 'parked' | 'left'> {
    const { book } = this.#options
    for (;;) {
      const live = await book.find(job.run)
      const posts = (await live?.posts()) ?? []
      if (live?.state === 'ended') return undefined
      const isUnchanged = posts.length === this.#postCounts.get(job.run)
      if (live?.state === 'waiting' && (isUnchanged || !live.hasWork(posts))) return 'parked'
      this.#postCounts.set(job.run, posts.length)
      // A job keeps its path if its process dies during a rename, or another process renames its document.
      const document = live?.path ?? job.document
      const result = await this.#once({ ...job, document }, live?.hasLog === true)
      const after = await book.find(job.run)
      const next = await this.#afterLoss(job, result)
      if (next === 'left') return next
      if (next === 'again') continue
      if (result.status === 'failed' && (await this.#hasMoved(job.run, document))) {
        this.#postCounts.delete(job.run)
        await after?.until(({ path, state }) => path !== document || state === 'ended', this.#leave.signal)
        continue
      }
      // It has released its document.
      await after?.until(({ state }) => state !== 'running', this.#leave.signal)
      if (this.#leave.signal.aborted) return 'left'
      if (result.status === 'failed' && after?.state !== 'ended') {
        const { code, error, diagnostics } = result
        // A run that started but couldn't be written is continued when the document is sent again.
        const hasBegun = after?.hasLog === true
        return hasBegun ? { code, message: error, hasBegun } : { code, message: error, diagnostics }
      }
      if (result.status !== 'parked') return undefined
    }
  }

  /**
   * What happens to a run whose document another process has taken. If processes share the queue, one of them now has
   * the job and continues it, or this one still has it and does.
   */
  async #afterLoss(job: Job, result: RunResult): Promise<'left' | 'again' | undefined> {
    const { queue } = this.#options
    if (queue.watch === undefined || result.status !== 'failed') return undefined
    if (result.code === 'STORE_UNAVAILABLE') throw new ArgotError(result.code, result.error)
    if (result.code !== 'RUN_LEASE_LOST') return undefined
    return (await queue.renew(job.run)) ? 'again' : 'left'
  }

  /** Whether another process with the same queue renamed the document. */
  async #hasMoved(run: string, document: string): Promise<boolean> {
    const { queue, store } = this.#options
    const entry = queue.watch === undefined ? undefined : await store.logs.find(run)
    return entry !== undefined && entry.path !== document
  }

  async #once(job: Job, isKnown: boolean): Promise<RunResult> {
    const { store, book, run: shared, notice } = this.#options
    const stop = new AbortController()
    const options = { ...shared, store, ...toRunOptions(job, isKnown) }
    this.#titles.begin(job.document)
    const relax = await this.#findRelax(job)
    const run = runDocument(job.document, {
      ...options,
      ...defined({ relax }),
      id: job.run,
      waitForLock: true,
      signal: stop.signal,
      leave: this.#leave.signal,
      notice: text => notice(text, job.run),
      // A question of the run itself parks it. A nested agent's question can't, so it waits for its answer.
      ask: request => (request.agents === undefined ? Promise.resolve(undefined) : new Promise(() => {})),
    })
    const running: RunningJob = { document: job.document, stop, hasBegun: false }
    this.#running.set(job.run, running)
    // Read to the end: a run is stopped if its reader leaves.
    for await (const _ of run) {
      if (running.hasBegun) continue
      running.hasBegun = true
      await book.noteBegun(job.run)
    }
    const result = await run.result
    this.#running.delete(job.run)
    void this.#titles.end(job.document, options, result)
    return result
  }

  /** A document that may belong to another user asks as usual. */
  async #findRelax({ document }: Job): Promise<RunOptions['relax']> {
    const { relaxations, store } = this.#options
    if (relaxations === undefined) return undefined
    const ownershipProblem = await findOwnershipProblem(store, document).catch(() => 'The document cannot be read.')
    return ownershipProblem === undefined ? () => relaxations.find(document) : undefined
  }
}

/** A run that has started already has its message. */
function toRunOptions(job: Job, isKnown: boolean): Partial<RunOptions> {
  const { input, params, model, syntax, approve } = job
  const options: Partial<RunOptions> = {}
  if (!isKnown && input !== undefined) Object.assign(options, { input, inputDenies: true })
  if (params !== undefined) options.params = params
  // Also for a job that an older version accepted.
  if (model !== undefined) options.model = requestedModel(model)
  if (syntax !== undefined) options.syntax = syntax
  if (approve !== undefined) options.approveAtMost = approve
  return options
}

function toFailure(error: unknown): JobFailure {
  const code = error instanceof ArgotError || error instanceof Problem ? error.code : 'RUN_FAILED'
  return { code, message: error instanceof Error ? error.message : String(error) }
}
