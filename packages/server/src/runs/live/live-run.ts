import type { Store } from '@argot/agent'
import { messageInPost, type Post, type RunState } from '@argot/agent/internal'
import { ArgotError, type Chunk } from '@argot/core'
import type { PendingApproval } from '../../api/bodies.ts'
import { type LogSummary, SummaryFold } from '../log-summary.ts'
import type { QueuedJob } from '../queue/queue.ts'
import { RunFeed } from './run-feed.ts'

/** How long changes by another process may take to arrive. */
const CATCH_UP_MS = 5000

/**
 * One run in this process: its job, and the state from one watcher of its log. Between two awaits it is one consistent
 * state. To get another state, wait `until` it is reached.
 */
export class LiveRun {
  readonly run: string
  readonly feed: RunFeed
  job: QueuedJob | undefined
  readonly #store: Store
  readonly #onNews: () => void
  readonly #stop: AbortController = new AbortController()
  #path: string | undefined
  #state: RunState | undefined
  #error: unknown
  #isGone = false
  readonly #fold: SummaryFold = new SummaryFold()
  #summary: LogSummary | undefined
  /** Resolves when everything that existed at the start is read. Undefined while the log isn't watched. */
  #opening: Promise<void> | undefined
  readonly #waiting: Set<() => void> = new Set()

  /** `onNews` is called when it starts, or when its state or its questions change. */
  constructor(store: Store, run: string, resultBytes: number, onNews: () => void) {
    this.#store = store
    this.#onNews = onNews
    this.run = run
    this.feed = new RunFeed(store.logs, run, resultBytes, () => this.#fold.next)
  }

  /** Undefined without a log. */
  get path(): string | undefined {
    return this.#path
  }

  /** The state from its log and its document's lease. Undefined without a log. */
  get state(): RunState | undefined {
    return this.#state
  }

  get error(): unknown {
    return this.#error
  }

  /** Its log was removed or renamed, or this process gave it up: it has to be found again. */
  get isGone(): boolean {
    return this.#isGone || this.#stop.signal.aborted
  }

  get hasLog(): boolean {
    return this.#path !== undefined
  }

  get summary(): LogSummary {
    this.#summary ??= this.#fold.result()
    return this.#summary
  }

  /** Nothing more will come: it has ended or is parked, and its document has all of it. */
  get isSettled(): boolean {
    return this.#state !== 'running' && this.job?.state !== 'taken'
  }

  /** It waits for an answer and does nothing else, so it will be parked in a moment. */
  get isAsking(): boolean {
    return this.summary.pending.length > 0 && this.summary.open.length === 0
  }

  /** It has readers or waiters, or this process may change it. */
  get isInUse(): boolean {
    const isActive = this.job !== undefined && this.job.state !== 'finished'
    return isActive || this.#waiting.size > 0 || this.feed.hasReaders
  }

  /** Watches the log from now on, if there is one. Resolves when its current content is read. */
  async open(): Promise<void> {
    if (this.#state === 'ended' && this.#error === undefined) return
    this.#opening ??= this.#watch()
    await this.#opening
  }

  /** Resolves when the condition is true, or when this process gives up the run. Checks on every change. */
  async until(condition: (live: LiveRun) => boolean, signal?: AbortSignal): Promise<void> {
    const isOver = (): boolean => condition(this) || this.#stop.signal.aborted || signal?.aborted === true
    if (isOver()) return
    await new Promise<void>(resolve => {
      const look = (): void => {
        if (!isOver()) return
        this.#waiting.delete(look)
        signal?.removeEventListener('abort', look)
        resolve()
      }
      this.#waiting.add(look)
      signal?.addEventListener('abort', look)
    })
  }

  /**
   * Resolves when everything in the log is read, or after `CATCH_UP_MS`. Another process may have shown its newest
   * question already.
   */
  async catchUp(): Promise<void> {
    if (!this.hasLog) return
    const lastLine = (await this.#store.logs.tail(this.run, this.#fold.next)).at(-1)
    if (lastLine !== undefined) await this.until(() => this.#fold.next > lastLine.o, AbortSignal.timeout(CATCH_UP_MS))
  }

  async posts(): Promise<Post[]> {
    try {
      return this.hasLog ? await this.#store.inbox.read(this.run) : []
    } catch (error) {
      // Its log was just removed.
      if (error instanceof ArgotError && error.code === 'RUN_NOT_FOUND') return []
      throw error
    }
  }

  post(post: Post): Promise<'accepted' | 'already'> {
    return this.#store.inbox.post(this.run, post)
  }

  /** A parked run has something to do: a stop, an answer to a question, an output that it waits for, or a message. */
  hasWork(posts: readonly Post[]): boolean {
    const { pending, open } = this.summary
    return posts.some(post => {
      if (post.type === 'stop') return true
      if (post.type === 'answer') return pending.some(question => isAnswerTo(post, question))
      if (post.type === 'message') return this.#isUntaken(post)
      return post.type === 'output' && open.some(({ toolCallId }) => toolCallId === post.toolCallId)
    })
  }

  /** The messages sent to it that it hasn't taken, in order. */
  async listUntakenMessages(): Promise<(Post & { type: 'message' })[]> {
    return (await this.posts()).flatMap(post => (post.type === 'message' && this.#isUntaken(post) ? [post] : []))
  }

  #isUntaken(post: Post): boolean {
    const message = messageInPost(post)
    return message !== undefined && !this.summary.joined.has(message.id)
  }

  notifyWaiters(): void {
    for (const look of [...this.#waiting]) look()
  }

  /** Stops watching. Its readers end, and its waiters continue. */
  close(): void {
    this.#stop.abort()
    this.feed.close()
    this.notifyWaiters()
  }

  #watch(): Promise<void> {
    return new Promise(resolve => {
      void this.#follow(resolve)
        .catch(async (error: unknown) => {
          // No process can continue it, so it blocks nothing. Requesting it again tries again.
          this.#error = error
          this.#state = 'ended'
          this.#path = (await this.#store.logs.find(this.run).catch(() => undefined))?.path
        })
        .then(() => {
          this.#opening = undefined
          resolve()
          this.notifyWaiters()
        })
    })
  }

  async #follow(caughtUp: () => void): Promise<void> {
    const { logs } = this.#store
    this.#error = undefined
    for await (const { path, state, lines } of logs.watch(this.run, this.#fold.next, this.#stop.signal)) {
      this.#path = path
      for (const line of lines) this.#fold.push(line)
      this.#summary = undefined
      this.feed.add(lines)
      if (state === undefined) await yieldToOthers()
      else {
        const isNews = state !== this.#state || lines.some(({ chunk }) => changesQuestions(chunk))
        this.#state = state
        caughtUp()
        this.notifyWaiters()
        if (isNews) this.#onNews()
      }
    }
    if (this.#state === 'ended' || this.#stop.signal.aborted) return
    // Its document was removed or renamed. Requesting it again gives another object.
    this.#isGone = this.#path !== undefined
    this.#path = undefined
    this.#state = undefined
    if (this.#isGone) this.feed.close()
  }
}

/** A long log is read in many pieces. This lets other work run between them. */
function yieldToOthers(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

function isAnswerTo({ approvalId, inputHash }: Extract<Post, { type: 'answer' }>, question: PendingApproval): boolean {
  if (question.approvalId !== approvalId) return false
  return inputHash === undefined || inputHash === question.inputHash
}

/** Includes the questions of nested agents. */
function changesQuestions(chunk: Chunk): boolean {
  if (chunk.type === 'data-argot-sub' && 'data' in chunk) {
    const inner = (chunk.data as { chunk?: Chunk } | undefined)?.chunk
    return inner !== undefined && changesQuestions(inner)
  }
  return chunk.type === 'tool-approval-request' || chunk.type === 'tool-approval-response'
}
