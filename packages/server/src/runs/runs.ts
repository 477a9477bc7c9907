import { createHash } from 'node:crypto'
import type { Store } from '@argot/agent'
import { messageInPost, type RunEntry, refuseLinkedFiles, toMessagePost } from '@argot/agent/internal'
import { getMessageText, type Message } from '@argot/core'
import { defined, firstCharacters } from '@argot/core/stream/internal'
import type { RunResource } from '../api/index.ts'
import type { Limits } from '../guard/limits.ts'
import { Problem, tooMany } from '../guard/problem.ts'
import { outputIn } from './cut-result.ts'
import { forwardMessages } from './forward-messages.ts'
import { InTurn } from './in-turn.ts'
import { failedLines } from './live/failed-lines.ts'
import type { LiveRun } from './live/live-run.ts'
import type { RunBook } from './live/run-book.ts'
import type { FeedLine } from './live/run-feed.ts'
import type { LogSummary } from './log-summary.ts'
import { type Job, mayBeSentAgain, type Queue, type QueuedJob } from './queue/queue.ts'
import { isOver, isUnheld, type RunFilter } from './run-describer.ts'
import { RunFinder } from './run-finder.ts'
import type { RunIds } from './run-ids.ts'
import { RunPosts } from './run-posts.ts'
import type { Runner } from './runner.ts'

export interface RunsOptions {
  store: Store
  queue: Queue
  book: RunBook
  runner: Runner
  limits: Limits
  now: () => number
  ids: RunIds
}

/** See `Runs.read`. */
export type ReadEnd = 'ended' | 'lost' | undefined

/** `steer`: a working run takes the message at its next step. */
export type RunMode = 'queue' | 'reject' | 'steer'

export interface Send {
  document: string
  input?: Message | undefined
  /** Sends with the same key are the same send. */
  key?: string | undefined
  /** The whole request. The same key with another body is refused. */
  body: unknown
  by: string
  mode: RunMode
  params?: Job['params']
  model?: string | undefined
  syntax?: string | undefined
  approve?: Job['approve']
}

/**
 * A send is answered after this time at the latest, with a queued run: its document may have to start a slow program.
 */
const BEGIN_MS = 10_000

/** A repeated message is looked for in this many runs of its document. */
const RUNS_TO_SEARCH = 20

const LONGEST_REASON = 2000

/** All operations on runs, for any client. The book has their state; this decides what may be done to them. */
export class Runs {
  readonly #options: RunsOptions
  readonly #store: Store
  readonly #queue: Queue
  readonly #book: RunBook
  readonly #finder: RunFinder
  readonly posts: RunPosts
  readonly #starting: InTurn = new InTurn()
  readonly #entering: InTurn = new InTurn()
  /** Resolves when the runs of earlier processes were found. */
  #scanned: Promise<void> = Promise.resolve()

  constructor(options: RunsOptions) {
    this.#options = options
    this.#store = options.store
    this.#queue = options.queue
    this.#book = options.book
    this.#finder = new RunFinder(options)
    this.posts = new RunPosts(options, this.#finder)
  }

  /**
   * Finds existing runs. The queue continues runs that an earlier process accepted. Answers that came while no server
   * was running are applied now.
   */
  wakeAnswered(): Promise<void> {
    const scan = this.#scan()
    this.#scanned = scan.catch(() => {})
    return scan
  }

  async #scan(): Promise<void> {
    const entries = await this.#store.logs.list({})
    this.#options.ids.after(entries.map(({ run }) => run))
    await this.#wakeAnswered(entries)
  }

  /** Applies answers that another process took while this one renamed their document. */
  async wakeRenamed(document: string): Promise<void> {
    await this.#wakeAnswered(await this.#store.logs.list({ path: document }))
  }

  async #wakeAnswered(entries: readonly RunEntry[]): Promise<void> {
    for (const { run, path, state } of entries) {
      if (state !== 'waiting') continue
      // A run that can't be read must not hide the others.
      const posts = await this.#store.inbox.read(run).catch(() => [])
      const live = posts.length === 0 ? undefined : await this.#book.find(run).catch(() => undefined)
      if (live?.hasWork(posts) === true) await this.posts.wake(run, path)
    }
  }

  /**
   * Accepts a run, or returns the one from an earlier identical send. Waits briefly for a run that may start, so that a
   * document that can't run is reported immediately.
   */
  async start(send: Send): Promise<{ run: string; isNew: boolean }> {
    await this.#scanned
    const digest = createHash('sha256').update(JSON.stringify(send.body)).digest('hex')
    // Of two simultaneous sends, the second sees the first, and is joined to it, queued or refused.
    const { run, isNew, isNext } = await this.#starting.do(send.document, () => this.#accept(send, digest))
    if (isNext) await this.#untilBegun(run)
    return { run, isNew }
  }

  /**
   * Sends a message to a run that isn't over. If the run is queued or waits for an answer, a new run takes the message.
   */
  async steer(run: string, send: Omit<Send, 'document' | 'mode'>): Promise<{ run: string; isNew: boolean }> {
    const { document, state } = await this.get(run)
    const isKnown = send.key !== undefined && send.input !== undefined && (await this.#wasSent(document, send))
    if (isOver(state) && !isKnown) throw new Problem(410, 'SERVER_RUN_OVER', `The run \`${run}\` is over.`)
    return this.start({ ...send, document, mode: state === 'queued' ? 'queue' : 'steer' })
  }

  async #wasSent(document: string, { key, input }: Pick<Send, 'key' | 'input'>): Promise<boolean> {
    return (await this.#byKey(key!)) !== undefined || (await this.#findPost(document, input!.id)) !== undefined
  }

  /** Runs `work` while no run of the document is being accepted. */
  readonly alone = <Value>(document: string, work: () => Promise<Value>): Promise<Value> =>
    this.#starting.do(document, work)

  /** Renames or removes a document. No run of it is accepted and nothing is posted to its runs meanwhile. */
  move<Value>(document: string, work: () => Promise<Value>): Promise<Value> {
    return this.alone(document, () => this.posts.betweenPosts(document, () => this.#finder.move(work)))
  }

  async #accept(send: Send, digest: string): Promise<{ run: string; isNew: boolean; isNext: boolean }> {
    const { document, key, input, params, model, syntax, approve } = send
    const { now, ids } = this.#options
    const existing = key === undefined ? undefined : await this.#byKey(key)
    if (existing !== undefined) return { run: requireSameBody(existing, digest), isNew: false, isNext: false }
    await this.#letGo(document)
    await this.afterEnding(document)
    if (input !== undefined) await this.#untilAsked(document)
    const busy = await this.#listRunsAhead(document)
    const steeredRun = send.mode === 'steer' ? await this.#steer(send, digest, busy) : undefined
    if (steeredRun !== undefined) return { ...steeredRun, isNext: false }
    if (send.mode === 'reject') await this.#refuseBusy(document, busy)
    const isNext = busy.length === 0 && (await this.#store.leases.holder(document)) === undefined
    // One after another, so that simultaneous sends to many documents can't exceed the limit together.
    const { queued, isNew } = await this.#entering.do('all', async () => {
      await this.#checkRoom(busy)
      if (input !== undefined) await this.#leaveQuestions(busy)
      const unfinished = input === undefined ? await this.#findUnfinishedRun(document) : undefined
      const run = unfinished ?? ids.next()
      const job: Job = { run, document, at: now(), ...defined({ key, digest, input, params, model, syntax, approve }) }
      return this.#book.enqueue(job)
    })
    if (!isNew && queued.job.key === key && key !== undefined) requireSameBody(queued, digest)
    if (isNew && input !== undefined) await this.#denyQuestions(busy, getMessageText(input), send.by)
    return { run: queued.job.run, isNew, isNext }
  }

  /** Sends a message to the document's working run. Undefined if there is none, and the message has to be queued. */
  async #steer(
    { document, input, key }: Send,
    digest: string,
    busy: readonly LiveRun[],
  ): Promise<{ run: string; isNew: boolean } | undefined> {
    if (input === undefined) return undefined
    const existing = key === undefined ? undefined : await this.#findPost(document, input.id)
    if (existing !== undefined) return { run: requireSameBody(existing, digest), isNew: false }
    const [live] = busy
    if (live === undefined || live.job?.state === 'parked') return undefined
    // A run that is about to start, or to continue after a restart, is the one for this message.
    if (!live.hasLog) await this.#untilBegun(live.run)
    if (!live.hasLog || live.state === 'ended' || (await this.#isStopping(live))) return undefined
    refuseLinkedFiles(input)
    await live.post(toMessagePost(input, defined({ key, digest })))
    const run = await this.#afterPost(live)
    return { run, isNew: true }
  }

  /**
   * A run that ends after the post finds it there. If it had already ended or was parked, its work is done here. So the
   * current log decides, not this process's earlier state.
   */
  async #afterPost({ run, job }: LiveRun): Promise<string> {
    const { ids, now } = this.#options
    const state = (await this.#store.logs.find(run))?.state
    if (job === undefined || state === 'running') return run
    if (state === 'waiting') await this.posts.wake(run, job.job.document)
    if (state !== 'ended') return run
    return (await forwardMessages(this.#book, job.job, { next: () => ids.next(), now })) ?? run
  }

  async #isStopping(live: LiveRun): Promise<boolean> {
    return (await live.posts()).some(({ type }) => type === 'stop')
  }

  /** Finds this message in the posts to the document's newest runs. */
  async #findPost(
    document: string,
    messageId: string,
  ): Promise<{ job: { run: string; digest?: string | undefined } } | undefined> {
    const entries = await this.#store.logs.list({ path: document })
    for (const { run } of entries.sort((a, b) => (a.run < b.run ? 1 : -1)).slice(0, RUNS_TO_SEARCH)) {
      const posts = (await (await this.#book.find(run))?.posts()) ?? []
      const post = posts.find(one => messageInPost(one)?.id === messageId)
      if (post?.type === 'message') return { job: { run, digest: post.digest } }
    }
    return undefined
  }

  async wasSentTo(run: string, messageId: string): Promise<boolean> {
    const posts = (await (await this.#book.find(run))?.posts()) ?? []
    return posts.some(post => messageInPost(post)?.id === messageId)
  }

  /**
   * Where a message sent to a run is answered: the offset, in that run or in the one that replaced it. Undefined for an
   * unknown run, and once the signal aborts.
   */
  async answerTo(
    run: string,
    messageId: string,
    signal: AbortSignal,
  ): Promise<{ run: string; from: number } | undefined> {
    const live = await this.#book.find(run)
    const isOver = ({ state, job }: LiveRun): boolean => state === 'ended' && job?.state !== 'taken'
    await live?.until(one => one.summary.joined.get(messageId) !== undefined || isOver(one), signal)
    if (live === undefined || signal.aborted) return undefined
    const from = live.summary.joined.get(messageId)
    if (from !== undefined) return { run, from }
    const post = (await live.listUntakenMessages()).find(one => messageInPost(one)?.id === messageId)
    const next = post?.key === undefined ? undefined : (await this.#byKey(post.key))?.job.run
    return { run: next ?? run, from: 0 }
  }

  find(run: string): Promise<RunResource | undefined> {
    return this.#finder.find(run)
  }

  get(run: string): Promise<RunResource> {
    return this.#finder.get(run)
  }

  list(filter?: RunFilter): Promise<RunResource[]> {
    return this.#finder.list(filter)
  }

  current(document: string): Promise<RunResource | undefined> {
    return this.#finder.current(document)
  }

  /** The run whose questions a message answers: the one that isn't over, otherwise the one that wrote the message. */
  async findAnsweredRun(document: string, messageId: unknown): Promise<RunResource | undefined> {
    const openRun = await this.#finder.currentLive(document)
    if (openRun !== undefined) {
      const { ending, pending } = openRun.summary
      // A run that asks will be parked in a moment. Its next lines are the result of the answers.
      if (ending !== undefined || pending.length > 0) await this.settled(openRun.run)
      return this.find(openRun.run)
    }
    const entries = await this.#store.logs.list({ path: document })
    const last = entries.sort((a, b) => (a.run < b.run ? 1 : -1))[0]
    const live = last === undefined ? undefined : await this.#book.find(last.run)
    return live?.summary.messageId === messageId && live !== undefined ? this.#finder.describe(live) : undefined
  }

  async has(run: string): Promise<boolean> {
    return (await this.#book.find(run)) !== undefined
  }

  /**
   * A run's lines from an offset on, including future ones, until it has `ended`. Waits while the run waits, and
   * continues after its document is renamed. `lost`: its log was removed meanwhile. Undefined for an unknown run, and
   * once the signal aborts.
   */
  async *read(run: string, from: number, signal: AbortSignal): AsyncGenerator<readonly FeedLine[], ReadEnd> {
    let next: number | undefined = from
    for (let wasFound = false; ; ) {
      const live = await this.#book.find(run)
      await live?.until(({ hasLog, job }) => hasLog || job?.state === 'finished', signal)
      if (signal.aborted) return undefined
      if (live?.path !== undefined) {
        const { path } = live
        wasFound = true
        next = yield* live.feed.read(next, signal)
        if (next === undefined) return 'ended'
        if (signal.aborted) return undefined
        // Until a rename in this process is over, the log is at neither path.
        await this.alone(path, async () => {})
      }
      if ((await this.#store.logs.find(run)) !== undefined) continue
      if (wasFound) return 'lost'
      if (live?.job?.state !== 'finished') return undefined
      yield failedLines(live.job, next)
      return 'ended'
    }
  }

  /**
   * Resolves once a run that has ended or stopped to wait is so for every reader: its document has all of it, and the
   * next run may start.
   */
  async settled(run: string): Promise<void> {
    await (await this.#book.find(run))?.until(({ isSettled }) => isSettled)
  }

  /**
   * Waits for a run that is ending or about to be parked, so that the next message goes to its successor. Also waits
   * for one that is writing a user's message into the document.
   */
  async afterEnding(document: string): Promise<void> {
    for (const live of await this.#listOpenRuns(document)) {
      if (live.job?.state !== 'taken') continue
      await live.until(({ summary, isSettled }) => !summary.isJoining || isSettled)
      if (live.summary.ending !== undefined) await live.until(({ isSettled }) => isSettled)
    }
  }

  /** The same for a run that waits for an answer and does nothing else. */
  async afterAsking(document: string): Promise<void> {
    for (const live of await this.#listOpenRuns(document)) {
      if (live.job?.state === 'taken' && live.isAsking) await live.until(({ isSettled }) => isSettled)
    }
  }

  /**
   * A run that waits for an answer and does nothing else will be parked in a moment, even if the next process continues
   * it. A message that comes before that is meant for its questions.
   */
  async #untilAsked(document: string): Promise<void> {
    const { runner } = this.#options
    for (const live of await this.#listOpenRuns(document)) {
      await live.until(({ job, isAsking }) => {
        const isSoon = job?.state === 'taken' || (job?.state === 'waiting' && !runner.isFull)
        return !isSoon || !isAsking
      })
    }
  }

  async #listOpenRuns(document: string): Promise<LiveRun[]> {
    const runs: LiveRun[] = []
    for (const { job } of await this.#queue.list({ document })) {
      const live = await this.#book.find(job.run)
      if (live !== undefined) runs.push(live)
    }
    return runs
  }

  /** Whether a process is working on the run and has written something in it. */
  async isHeld(run: string): Promise<boolean> {
    const live = await this.#book.find(run)
    return live !== undefined && this.#options.runner.isWorkingOn(live)
  }

  /** Whether chunks may come without an answer: the run isn't parked and isn't over. */
  async isWriting(run: string): Promise<boolean> {
    const state = (await this.#book.find(run))?.state
    return state === 'running' || state === 'interrupted'
  }

  async isParkedAt(run: string, offset: number): Promise<boolean> {
    const live = await this.#book.find(run)
    const isContinued = ({ summary }: LiveRun): boolean => (summary.starts.at(-1) ?? 0) > offset
    await live?.until(one => isContinued(one) || one.isSettled)
    return live !== undefined && !isContinued(live) && live.state === 'waiting'
  }

  async output(run: string, toolCallId: string): Promise<{ value: unknown } | undefined> {
    const { logs } = this.#store
    const log = await (logs.scan === undefined ? logs.read(run) : logs.scan(run))
    let last: { value: unknown } | undefined
    for (const { chunk } of log?.lines ?? []) last = outputIn(chunk, toolCallId) ?? last
    return last
  }

  async summary(run: string): Promise<LogSummary | undefined> {
    const live = await this.#book.find(run)
    return live?.hasLog === true ? live.summary : undefined
  }

  /** Handles a document change by another process. Returns the document's run that isn't over. */
  async documentChanged(document: string): Promise<string | undefined> {
    try {
      this.#book.forgetEnded(document)
      await this.#letGo(document)
      return (await this.#finder.currentLive(document))?.run
    } catch {
      // It was removed or can't be read. Requests for it report that.
      return undefined
    }
  }

  close(runs?: readonly string[]): void {
    this.#book.close(runs)
  }

  async #byKey(key: string): Promise<QueuedJob | undefined> {
    const [queued] = await this.#queue.list({ key })
    return queued === undefined || mayBeSentAgain(queued) ? undefined : queued
  }

  /** A parked run that was ended elsewhere, for example in a terminal, no longer holds its document. */
  async #letGo(document: string): Promise<void> {
    for (const { job, hasLog, state } of await this.#listOpenRuns(document)) {
      if (job?.state === 'parked' && (!hasLog || state === 'ended')) await this.#book.finish(job.job)
    }
  }

  /** The document's jobs that aren't over. A job whose run has ended will be over soon. */
  async #listRunsAhead(document: string): Promise<LiveRun[]> {
    return (await this.#listOpenRuns(document)).filter(({ job, state }) => job?.state !== 'taken' || state !== 'ended')
  }

  /** Throws if the queue is full. */
  async #checkRoom(ofDocument: readonly LiveRun[]): Promise<void> {
    const { queueLength, queuedRuns } = this.#options.limits
    const waiting = ofDocument.filter(({ job }) => job?.state === 'waiting')
    if (waiting.length >= queueLength) throw tooMany('messages waiting for one document', queueLength)
    const all = (await this.#queue.list()).filter(({ state }) => state === 'waiting')
    if (all.length >= queuedRuns) throw tooMany('queued runs', queuedRuns)
  }

  async #refuseBusy(document: string, busy: readonly LiveRun[]): Promise<void> {
    const holder = await this.#store.leases.holder(document)
    const current = busy[0]?.run ?? (holder === undefined ? undefined : (await this.#finder.currentLive(document))?.run)
    if (current === undefined && holder === undefined) return
    const who = holder === undefined ? '' : ` ${holder}.`
    const more = defined({ run: current, holder })
    throw new Problem(409, 'SERVER_BUSY', `\`${document}\` is being run.${who}`, { more })
  }

  /** Writing a message means not answering: a parked run gives way to it, and its questions are settled. */
  async #leaveQuestions(busy: readonly LiveRun[]): Promise<void> {
    for (const { job } of busy) if (job?.state === 'parked') await this.#book.finish(job.job)
  }

  /**
   * A run with a question isn't parked while another of its calls works. Its question is denied immediately: a later
   * answer is too late, and the message doesn't wait for one.
   */
  async #denyQuestions(busy: readonly LiveRun[], text: string, by: string): Promise<void> {
    const reason = firstCharacters(text, LONGEST_REASON)
    for (const { run, job, summary } of busy) {
      if (job?.state !== 'taken') continue
      const denials = summary.pending.map(({ approvalId, inputHash }) => ({
        approvalId,
        inputHash,
        approved: false,
        reason,
      }))
      if (denials.length > 0) await this.posts.answer(run, denials, by)
    }
  }

  async #findUnfinishedRun(document: string): Promise<string | undefined> {
    const entries = await this.#store.logs.list({ path: document })
    for (const { run } of entries.filter(isUnheld).reverse()) {
      if ((await this.#book.find(run))?.summary.isOwn === true) return run
    }
    return undefined
  }

  /** Waits until a run has a log or has failed, while it is its turn, for at most `BEGIN_MS`. */
  async #untilBegun(run: string): Promise<void> {
    const { runner } = this.#options
    const live = await this.#book.find(run)
    await live?.until(({ hasLog, job }) => {
      const isWaiting = job?.state === 'taken' ? !hasLog || !runner.hasBegun(run) : job?.state === 'waiting'
      return !isWaiting || (job?.state === 'waiting' && runner.isFull)
    }, AbortSignal.timeout(BEGIN_MS))
  }
}

/** The run of a repeated send. Throws if the same key has another body. */
function requireSameBody({ job }: { job: Pick<Job, 'run' | 'digest'> }, digest: string): string {
  if (job.digest === digest) return job.run
  throw new Problem(409, 'SERVER_KEY_REUSED', 'This idempotency key was already used for another request.', {
    more: { run: job.run },
  })
}
