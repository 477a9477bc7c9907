import type { Store } from '@argot/agent'
import { messageInPost, type Post, type RunState } from '@argot/agent/internal'
import { ArgotError, type Chunk } from '@argot/core'
import type { PendingApproval } from '../../api/index.ts'
import type { QueuedJob } from '../queue/queue.ts'
import { type RunSummary, SummaryFold } from '../run-summary.ts'
import { RunFeed } from './run-feed.ts'

/** How long the news of another process may take. */
const CATCH_UP_MS = 5000

/**
 * One run as this process knows it: its job, and what one watcher of its log says. Between two awaits it is one consistent
 * state, and whoever needs another one waits `until` it is there.
 */
export class LiveRun {
  readonly run: string
  readonly feed: RunFeed
  /** What the queue has of it. */
  job: QueuedJob | undefined
  readonly #store: Store
  readonly #onNews: () => void
  readonly #stop: AbortController = new AbortController()
  #path: string | undefined
  #state: RunState | undefined
  #error: unknown
  #isGone = false
  readonly #fold: SummaryFold = new SummaryFold()
  #summary: RunSummary | undefined
  /** Resolves when everything is read that was there when it was made; undefined while nobody watches. */
  #opening: Promise<void> | undefined
  readonly #waiting: Set<() => void> = new Set()

  /** `onNews`: it has begun, its state is another, or its questions are others. */
  constructor(store: Store, run: string, resultBytes: number, onNews: () => void) {
    this.#store = store
    this.#onNews = onNews
    this.run = run
    this.feed = new RunFeed(store.logs, run, resultBytes, () => this.#fold.next)
  }

  /** Of a run that has a log. */
  get path(): string | undefined {
    return this.#path
  }

  /** What its log and the lease of its document say; undefined without a log. */
  get state(): RunState | undefined {
    return this.#state
  }

  /** Why its log can't be read. */
  get error(): unknown {
    return this.#error
  }

  /** It had a log, which was taken away. */
  get isGone(): boolean {
    return this.#isGone
  }

  get hasLog(): boolean {
    return this.#path !== undefined
  }

  get summary(): RunSummary {
    this.#summary ??= this.#fold.result()
    return this.#summary
  }

  /** Nothing comes any more of what it has begun: it has ended or is parked, and its document has all of it. */
  get isSettled(): boolean {
    return this.#state !== 'running' && this.job?.state !== 'taken'
  }

  /** Asks somebody, and does nothing else: it is parked in a moment. */
  get isAsking(): boolean {
    return this.summary.pending.length > 0 && this.summary.open.length === 0
  }

  /** Somebody waits for it or reads it, or it may change by the hand of this process. */
  get isInUse(): boolean {
    const isActive = this.job !== undefined && this.job.state !== 'finished'
    return isActive || this.#waiting.size > 0 || this.feed.hasReaders
  }

  /** Watches the log from now on, if there is one. Resolves when everything is known that it says already. */
  async open(): Promise<void> {
    if (this.#state === 'ended' && this.#error === undefined) return
    this.#opening ??= this.#watch()
    await this.#opening
  }

  /** Resolves when the condition holds, or when this process gives the run up. Looks whenever something changes. */
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

  /** Resolves when everything is known here that the log says now: another process may have shown its newest question. */
  async catchUp(): Promise<void> {
    if (!this.hasLog) return
    const last = (await this.#store.logs.tail(this.run, this.#fold.next)).at(-1)
    if (last !== undefined) await this.until(() => this.#fold.next > last.o, AbortSignal.timeout(CATCH_UP_MS))
  }

  /** What others have said to it. */
  async posts(): Promise<Post[]> {
    try {
      return this.hasLog ? await this.#store.inbox.read(this.run) : []
    } catch (error) {
      // Its log was removed a moment ago.
      if (error instanceof ArgotError && error.code === 'RUN_NOT_FOUND') return []
      throw error
    }
  }

  /** Says something to it. */
  post(post: Post): Promise<'accepted' | 'already'> {
    return this.#store.inbox.post(this.run, post)
  }

  /** Whether a parked run has something to do: a stop, an answer to a question, an output that it waits for, a message. */
  isWanted(posts: readonly Post[]): boolean {
    const { pending, open } = this.summary
    return posts.some(post => {
      if (post.type === 'stop') return true
      if (post.type === 'answer') return pending.some(question => isAnswerTo(post, question))
      if (post.type === 'message') return this.#isUnheard(post)
      return post.type === 'output' && open.some(({ toolCallId }) => toolCallId === post.toolCallId)
    })
  }

  /** The messages that were sent to it and that it has not taken, in their order. */
  async unheard(): Promise<(Post & { type: 'message' })[]> {
    return (await this.posts()).flatMap(post => (post.type === 'message' && this.#isUnheard(post) ? [post] : []))
  }

  #isUnheard(post: Post): boolean {
    const message = messageInPost(post)
    return message !== undefined && !this.summary.joined.has(message.id)
  }

  /** Something about it has changed. */
  changed(): void {
    for (const look of [...this.#waiting]) look()
  }

  /** Nobody watches it any more. Its readers come to their end, and those who wait go on. */
  close(): void {
    this.#stop.abort()
    this.feed.close()
    this.changed()
  }

  #watch(): Promise<void> {
    return new Promise(resolve => {
      void this.#follow(resolve)
        .catch(async (error: unknown) => {
          // Nobody can continue it, so it holds up nothing. Whoever asks for it again has it tried again.
          this.#error = error
          this.#state = 'ended'
          this.#path = (await this.#store.logs.find(this.run).catch(() => undefined))?.path
        })
        .then(() => {
          this.#opening = undefined
          resolve()
          this.changed()
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
      if (state === undefined) await othersFirst()
      else {
        const isNews = state !== this.#state || lines.some(({ chunk }) => changesQuestions(chunk))
        this.#state = state
        caughtUp()
        this.changed()
        if (isNews) this.#onNews()
      }
    }
    if (this.#state === 'ended' || this.#stop.signal.aborted) return
    // Its document was removed or has another path: whoever asks for it again gets another object.
    this.#isGone = this.#path !== undefined
    this.#path = undefined
    this.#state = undefined
    if (this.#isGone) this.feed.close()
  }
}

/** A long log is read in many pieces: others have their turn between them. */
function othersFirst(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

function isAnswerTo({ approvalId, inputHash }: Extract<Post, { type: 'answer' }>, question: PendingApproval): boolean {
  if (question.approvalId !== approvalId) return false
  return inputHash === undefined || inputHash === question.inputHash
}

/** Whether other questions than before wait after this chunk; of an agent inside too. */
function changesQuestions(chunk: Chunk): boolean {
  if (chunk.type === 'data-argot-sub' && 'data' in chunk) {
    const inner = (chunk.data as { chunk?: Chunk } | undefined)?.chunk
    return inner !== undefined && changesQuestions(inner)
  }
  return chunk.type === 'tool-approval-request' || chunk.type === 'tool-approval-response'
}
