import { createHash } from 'node:crypto'
import type { Store } from '@argot/agent'
import type { Post } from '@argot/agent/internal'
import { getMessageText, type Message } from '@argot/core'
import { defined, firstCharacters } from '@argot/core/stream/internal'
import type { AnswerResult, CallOutput, GivenAnswer, RunResource } from '../api/index.ts'
import type { Limits } from '../guard/limits.ts'
import { notFound, Problem, tooMany } from '../guard/problem.ts'
import { outputIn } from './cut-result.ts'
import { failedLines } from './feed/failed-lines.ts'
import type { FeedLine } from './feed/run-feed.ts'
import { RunFeeds } from './feed/run-feeds.ts'
import { InTurn } from './in-turn.ts'
import { postAnswer } from './post-answer.ts'
import { type Job, mayBeSentAgain, type Queue, type QueuedJob } from './queue/queue.ts'
import { isLeft, isOver, questionsOf, RunDescriber, type RunFilter } from './run-describer.ts'
import type { RunIds } from './run-ids.ts'
import type { RunSummaries } from './run-summaries.ts'
import { type RunSummary, SummaryFold } from './run-summary.ts'
import type { Runner } from './runner.ts'
import { StateIndex } from './state-index.ts'

export interface RunsOptions {
  store: Store
  queue: Queue
  runner: Runner
  summaries: RunSummaries
  limits: Limits
  now: () => number
  ids: RunIds
}

/** What somebody wants to have run. */
export interface Send {
  document: string
  input?: Message | undefined
  /** What makes a repeated send the same one. */
  key?: string | undefined
  /** Everything that was sent: the same key with something else is refused. */
  body: unknown
  /** Who sends it. */
  by: string
  mode: 'queue' | 'reject'
  params?: Job['params']
  model?: string | undefined
  syntax?: string | undefined
  approve?: Job['approve']
}

/** How long a send waits for its run to begin: a document may have a program to start first that takes its time. */
const BEGIN_MS = 10_000

/** As much of a message as is given as the reason of a denial. */
const LONGEST_REASON = 2000

/** Everything that can be asked of runs, whoever asks. */
export class Runs {
  readonly #options: RunsOptions
  readonly #store: Store
  readonly #queue: Queue
  readonly #feeds: RunFeeds
  /** Those who wait for the end of a run wait together. */
  readonly #settling: Map<string, Promise<void>> = new Map()
  readonly #describer: RunDescriber
  readonly #states: StateIndex = new StateIndex()
  readonly #waiters: Set<() => void> = new Set()
  readonly #starting: InTurn = new InTurn()
  readonly #entering: InTurn = new InTurn()
  /** Resolves when it is known which runs there are. */
  #noticed: Promise<void> = Promise.resolve()

  constructor(options: RunsOptions) {
    this.#options = options
    this.#store = options.store
    this.#queue = options.queue
    this.#feeds = new RunFeeds(options.store.logs, options.limits)
    this.#describer = new RunDescriber(options.store, options.queue, options.summaries)
  }

  /**
   * Takes notice of what there is. Runs that an earlier process accepted are continued by the queue; answers that came
   * while nobody listened count now.
   */
  wakeAnswered(): Promise<void> {
    const noticed = this.#notice()
    this.#noticed = noticed.catch(() => {})
    return noticed
  }

  async #notice(): Promise<void> {
    const entries = await this.#store.logs.list()
    this.#options.ids.after(entries.map(({ run }) => run))
    for (const { run, path, state } of entries) {
      if (state !== 'waiting') continue
      // One that cannot be read does not keep the others from being noticed.
      const isWanted = async (): Promise<boolean> =>
        this.#options.summaries.isWanted(run, await this.#store.inbox.read(run))
      if (await isWanted().catch(() => false)) await this.#wake(run, path)
    }
  }

  /**
   * Accepts a run, or gives the one that the same send made before. One that may begin is waited for, but not for long: who
   * sends a document that cannot be run is told so at once.
   */
  async start(send: Send): Promise<{ run: string; isNew: boolean }> {
    await this.#noticed
    const digest = createHash('sha256').update(JSON.stringify(send.body)).digest('hex')
    // Two sends at once: the second finds the first one there, and is joined to it, queued or refused.
    const { run, isNew, isNext } = await this.#starting.do(send.document, () => this.#accept(send, digest))
    if (isNext) await this.#untilBegun(run)
    return { run, isNew }
  }

  /** Does something to a document while no run of it is accepted. */
  readonly alone = <Value>(document: string, work: () => Promise<Value>): Promise<Value> =>
    this.#starting.do(document, work)

  async #accept(send: Send, digest: string): Promise<{ run: string; isNew: boolean; isNext: boolean }> {
    const { document, key, input, params, model, syntax, approve } = send
    const { now, ids } = this.#options
    const known = key === undefined ? undefined : await this.#byKey(key)
    if (known !== undefined) return { run: sameBody(known, digest), isNew: false, isNext: false }
    await this.#letGo(document)
    await this.afterEnding(document)
    if (input !== undefined) await this.#untilAsked(document)
    const busy = await this.#ahead(document)
    if (send.mode === 'reject') await this.#refuseBusy(document, busy)
    const isNext = busy.length === 0 && (await this.#store.leases.holder(document)) === undefined
    // Of sends at once to many documents, each counts those that were accepted before it.
    const { queued, isNew } = await this.#entering.do('all', async () => {
      await this.#checkRoom(busy)
      if (input !== undefined) await this.#leaveQuestions(busy)
      const unfinished = input === undefined ? await this.#unfinishedOf(document) : undefined
      const run = unfinished ?? ids.next()
      const job: Job = { run, document, at: now(), ...defined({ key, digest, input, params, model, syntax, approve }) }
      return this.#queue.enqueue(job)
    })
    if (!isNew && queued.job.key === key && key !== undefined) sameBody(queued, digest)
    if (isNew && input !== undefined) await this.#denyQuestions(busy, getMessageText(input), send.by)
    return { run: queued.job.run, isNew, isNext }
  }

  /** The run as others see it; undefined where there is none. */
  async find(run: string): Promise<RunResource | undefined> {
    const [queued] = await this.#queue.list({ run })
    const before = queued?.state
    let entry = await this.#store.logs.find(run)
    // It may have begun, and ended, while it was looked for.
    if (entry === undefined && queued?.state !== before) entry = await this.#store.logs.find(run)
    if (entry !== undefined) return this.#describer.describe(entry, queued)
    return queued === undefined ? undefined : this.#describer.describeUnbegun(queued)
  }

  async get(run: string): Promise<RunResource> {
    const found = await this.find(run)
    if (found === undefined) throw notFound(`run \`${run.slice(0, 200)}\``)
    return found
  }

  /** Newest first. `isOpen`: those that are not over. */
  async list(filter: RunFilter = {}): Promise<RunResource[]> {
    const { state, document, isOpen = false, limit = Number.POSITIVE_INFINITY } = filter
    const entries = await this.#store.logs.list(defined({ path: document }))
    const begun = new Map(entries.map(entry => [entry.run, entry]))
    const queued = new Map((await this.#queue.list(defined({ document }))).map(one => [one.job.run, one]))
    const mayBeOver = !isOpen && (state === undefined || isOver(state))
    const resources: RunResource[] = []
    for (const run of [...new Set([...begun.keys(), ...queued.keys()])].sort().reverse()) {
      const entry = begun.get(run)
      if (entry?.state === 'ended' && !mayBeOver) continue
      if (entry !== undefined && state !== undefined && !this.#states.mayBe(entry, state)) continue
      const resource = await this.find(run)
      this.#states.note(entry ?? { run }, resource)
      if (resource === undefined || (state !== undefined && resource.state !== state)) continue
      if (isOpen && isOver(resource.state)) continue
      resources.push(resource)
      if (resources.length >= limit) break
    }
    return resources
  }

  /** The run of a document that is not over, if there is one. */
  async current(document: string): Promise<RunResource | undefined> {
    const entries = await this.#store.logs.list({ path: document })
    const open = entries.filter(({ state }) => state !== 'ended').sort((a, b) => (a.run < b.run ? 1 : -1))
    for (const entry of open) {
      const [queued] = await this.#queue.list({ run: entry.run })
      if (entry.state !== 'interrupted' || (queued !== undefined && queued.state !== 'finished')) {
        return this.#describer.describe(entry, queued)
      }
    }
    return undefined
  }

  /** The run whose questions a message answers: the one that is not over, else the one that wrote the message. */
  async answered(document: string, messageId: unknown): Promise<RunResource | undefined> {
    const open = await this.current(document)
    if (open !== undefined) {
      const { ending, pending = [] } = (await this.summary(open.id)) ?? {}
      // One that asks is parked in a moment: what comes after that is what the answers led to.
      if (ending !== undefined || pending.length > 0) await this.#untilSettled(open.id)
      return this.find(open.id)
    }
    const entries = await this.#store.logs.list({ path: document })
    const last = entries.sort((a, b) => (a.run < b.run ? 1 : -1))[0]
    const isIts = last !== undefined && (await this.#describer.summary(last)).messageId === messageId
    return isIts ? this.find(last.run) : undefined
  }

  /** Stops a run, also one that waits: its questions are taken back. */
  async stop(run: string, reason?: string): Promise<RunResource> {
    const before = await this.get(run)
    if (isOver(before.state)) return before
    const entry = await this.#store.logs.find(run)
    if (entry === undefined) {
      this.#options.runner.stop(run)
      const [queued] = await this.#queue.list({ run })
      if (queued?.state === 'waiting') await this.#queue.finish(run)
      return this.get(run)
    }
    await this.#store.inbox.post(run, { id: 'stop', type: 'stop', ...defined({ reason }) })
    // Looked at afterwards: a run that was about to park a moment ago has done so, and hears nothing any more.
    if ((await this.#store.logs.find(run))?.state !== 'running') await this.#wake(run, entry.path)
    return this.get(run)
  }

  /** Takes answers, each for itself. */
  async answer(run: string, answers: readonly GivenAnswer[], by: string): Promise<AnswerResult[]> {
    const results: AnswerResult[] = []
    const { document } = await this.get(run)
    for (const one of answers) {
      const { state } = await this.get(run)
      const isHeld = (await this.#store.logs.find(run))?.state === 'running' && this.#options.runner.hasBegun(run)
      const all = (await this.summary(run)) ?? new SummaryFold().result()
      const summary = { ...all, pending: questionsOf(all, isHeld) }
      results.push(await postAnswer({ inbox: this.#store.inbox, run, isOver: isOver(state), summary }, one, by))
    }
    if (results.some(({ status }) => status === 200)) await this.#wake(run, document)
    return results
  }

  /** Takes the output of a call that runs in the client. The first one counts. */
  async giveOutput(run: string, given: CallOutput): Promise<void> {
    const { state, document } = await this.get(run)
    const { open = [] } = (await this.summary(run)) ?? {}
    const { toolCallId, ...said } = given
    const post: Post = { id: `output:${toolCallId}`, type: 'output', toolCallId, ...said }
    const isFirst = !(await this.#posts(run)).some(({ id }) => id === post.id)
    if (isOver(state) && isFirst) throw new Problem(410, 'SERVER_RUN_OVER', `The run \`${run}\` is over.`)
    const isOpen = isFirst && open.some(call => call.toolCallId === toolCallId)
    const posted = isOpen ? await this.#store.inbox.post(run, post) : 'already'
    if (posted === 'already') {
      const message = `No call \`${toolCallId.slice(0, 200)}\` of this run waits for an output.`
      throw new Problem(409, 'SERVER_NOT_WAITING', message)
    }
    await this.#wake(run, document)
  }

  /** Whether there is such a run, begun or not. */
  async has(run: string): Promise<boolean> {
    if (this.#feeds.has(run) || (await this.#queue.list({ run })).length > 0) return true
    return (await this.#store.logs.find(run)) !== undefined
  }

  /** The lines of a run from an offset on, those to come included, until it has ended. One that waits is waited for. */
  async *read(run: string, from: number, signal: AbortSignal): AsyncGenerator<readonly FeedLine[]> {
    while (!signal.aborted && !this.#feeds.has(run) && (await this.#store.logs.find(run)) === undefined) {
      const [queued] = await this.#queue.list({ run })
      if (queued === undefined) return
      if (queued.state !== 'finished') await this.#change()
      else if ((await this.#store.logs.find(run)) === undefined) return yield failedLines(queued, from)
    }
    yield* this.#feeds.of(run).read(from, signal)
  }

  /**
   * Resolves once a run that has said its last word, or has stopped to wait, is so for everybody: its document has all of
   * it, and the next one may begin. Never waits for long.
   */
  settled(run: string): Promise<void> {
    const before = this.#settling.get(run)
    if (before !== undefined) return before
    const settling = this.#untilSettled(run).finally(() => this.#settling.delete(run))
    this.#settling.set(run, settling)
    return settling
  }

  async #untilSettled(run: string): Promise<void> {
    for (let turn = 0; turn < 100; turn++) {
      const entry = await this.#store.logs.find(run)
      const [queued] = await this.#queue.list({ run })
      if (entry?.state !== 'running' && queued?.state !== 'taken') return
      await this.#change()
    }
  }

  /** A run that ends, or is about to be parked, is let do so first: what is said next is said to what comes of it. */
  async afterEnding(document: string): Promise<void> {
    for (const { job, state } of await this.#queue.list({ document })) {
      if (state === 'taken' && (await this.summary(job.run))?.ending !== undefined) await this.#untilSettled(job.run)
    }
  }

  /**
   * A run that asks somebody, and does nothing else, is parked in a moment, also one that the next process continues. A
   * message that comes before that is meant for its questions.
   */
  async #untilAsked(document: string): Promise<void> {
    for (const { job } of await this.#queue.list({ document })) {
      for (let turn = 0; turn < 100; turn++) {
        const [queued] = await this.#queue.list({ run: job.run })
        if (queued === undefined || queued.state === 'parked' || queued.state === 'finished') break
        const { pending = [], open = [] } = (await this.summary(job.run)) ?? {}
        if (pending.length === 0 || open.length > 0) break
        await this.#change()
      }
    }
  }

  /** Whether chunks of a run may come without anybody being asked: it is not parked, and not over. */
  async isWriting(run: string): Promise<boolean> {
    const entry = await this.#store.logs.find(run)
    return entry !== undefined && entry.state !== 'waiting' && entry.state !== 'ended'
  }

  /** Whether a run that has said at this offset that it waits still does. */
  async isParkedAt(run: string, offset: number): Promise<boolean> {
    const isContinued = async (): Promise<boolean> => ((await this.summary(run))?.starts.at(-1) ?? 0) > offset
    if (await isContinued()) return false
    await this.settled(run)
    return !(await isContinued()) && (await this.#store.logs.find(run))?.state === 'waiting'
  }

  /** The complete output of a call, as the log has it. */
  async output(run: string, toolCallId: string): Promise<{ value: unknown } | undefined> {
    const { logs } = this.#store
    const log = await (logs.scan === undefined ? logs.read(run) : logs.scan(run))
    let last: { value: unknown } | undefined
    for (const { chunk } of log?.lines ?? []) last = outputIn(chunk, toolCallId) ?? last
    return last
  }

  async summary(run: string): Promise<RunSummary | undefined> {
    const entry = await this.#store.logs.find(run)
    return entry === undefined ? undefined : this.#describer.summary(entry)
  }

  /** Takes notice of what others did to a document; gives the run of it that is not over. */
  async documentChanged(document: string): Promise<RunResource | undefined> {
    try {
      await this.#letGo(document)
      return await this.current(document)
    } catch {
      // It is gone, or cannot be read: whoever asks for it is told.
      return undefined
    }
  }

  /** Something about runs has changed. */
  changed(): void {
    for (const wake of [...this.#waiters]) wake()
  }

  /** The readers of these runs come to their end, or all readers. */
  close(runs?: readonly string[]): void {
    this.#feeds.close(runs)
    this.changed()
  }

  async #byKey(key: string): Promise<QueuedJob | undefined> {
    const [known] = await this.#queue.list({ key })
    return known === undefined || mayBeSentAgain(known) ? undefined : known
  }

  /** A parked run that somebody ended elsewhere, in a terminal for example, holds its document no longer. */
  async #letGo(document: string): Promise<void> {
    for (const { job, state } of await this.#queue.list({ document })) {
      if (state !== 'parked') continue
      const entry = await this.#store.logs.find(job.run)
      if (entry === undefined || entry.state === 'ended') await this.#queue.finish(job.run)
    }
  }

  /** The jobs of a document that are not over. One whose run has ended is about to be. */
  async #ahead(document: string): Promise<QueuedJob[]> {
    const ahead: QueuedJob[] = []
    for (const queued of await this.#queue.list({ document })) {
      const entry = queued.state === 'taken' ? await this.#store.logs.find(queued.job.run) : undefined
      if (entry?.state !== 'ended') ahead.push(queued)
    }
    return ahead
  }

  /** Throws where as many wait already as there may. */
  async #checkRoom(ofDocument: readonly QueuedJob[]): Promise<void> {
    const { queueLength, queuedRuns } = this.#options.limits
    if (waitingOf(ofDocument) >= queueLength) throw tooMany('messages waiting for one document', queueLength)
    if (waitingOf(await this.#queue.list()) >= queuedRuns) throw tooMany('runs waiting for their turn', queuedRuns)
  }

  async #refuseBusy(document: string, busy: readonly QueuedJob[]): Promise<void> {
    const holder = await this.#store.leases.holder(document)
    const current = busy[0]?.job.run ?? (holder === undefined ? undefined : (await this.current(document))?.id)
    if (current === undefined && holder === undefined) return
    const who = holder === undefined ? '' : ` ${holder}.`
    const more = defined({ run: current, holder })
    throw new Problem(409, 'SERVER_BUSY', `\`${document}\` is being run.${who}`, { more })
  }

  /** Whoever writes a message does not want to answer: a parked run gives way to it, and its questions are settled. */
  async #leaveQuestions(busy: readonly QueuedJob[]): Promise<void> {
    for (const { job, state } of busy) if (state === 'parked') await this.#queue.finish(job.run)
  }

  /**
   * A run that asks somebody while another of its calls works is not parked. What it asks is denied at once: an answer
   * that comes later is too late, and the message does not wait for one.
   */
  async #denyQuestions(busy: readonly QueuedJob[], text: string, by: string): Promise<void> {
    const reason = firstCharacters(text, LONGEST_REASON)
    for (const { job, state } of busy) {
      if (state !== 'taken') continue
      const { pending = [] } = (await this.summary(job.run)) ?? {}
      const denials = pending.map(({ approvalId, inputHash }) => ({ approvalId, inputHash, approved: false, reason }))
      if (denials.length > 0) await this.answer(job.run, denials, by)
    }
  }

  async #unfinishedOf(document: string): Promise<string | undefined> {
    const entries = await this.#store.logs.list({ path: document })
    for (const entry of entries.filter(isLeft).reverse()) {
      if ((await this.#describer.summary(entry)).isOwn) return entry.run
    }
    return undefined
  }

  /** Waits until a run has a log or has failed, as long as it is its turn, and no longer than a sender waits gladly. */
  async #untilBegun(run: string): Promise<void> {
    let isLate = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>(resolve => {
      timer = setTimeout(() => {
        isLate = true
        resolve()
      }, BEGIN_MS)
    })
    while (!isLate) {
      const [queued] = await this.#queue.list({ run })
      if (queued === undefined || queued.state === 'parked' || queued.state === 'finished') break
      if (queued.state === 'taken') {
        await Promise.race([this.#options.runner.begun(run), late])
        if ((await this.#store.logs.find(run)) !== undefined) break
      } else if (await this.#isFull()) break
      await this.#change()
    }
    clearTimeout(timer)
  }

  async #isFull(): Promise<boolean> {
    const taken = (await this.#queue.list()).filter(({ state }) => state === 'taken')
    return taken.length >= this.#options.limits.runsAtOnce
  }

  #change(): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiters.delete(done)
        resolve()
      }
      const timer = setTimeout(done, 50)
      this.#waiters.add(done)
    })
  }

  /** Has a run continued that waits for what was just said. */
  async #wake(run: string, document: string): Promise<void> {
    await this.#queue.enqueue({ run, document, at: this.#options.now() })
  }

  async #posts(run: string): Promise<Post[]> {
    return (await this.#store.logs.find(run)) === undefined ? [] : this.#store.inbox.read(run)
  }
}

function waitingOf(jobs: readonly QueuedJob[]): number {
  return jobs.filter(({ state }) => state === 'waiting').length
}

/** The run of a send that is repeated. Throws where something else is sent under the same key. */
function sameBody({ job }: QueuedJob, digest: string): string {
  if (job.digest === digest) return job.run
  throw new Problem(409, 'SERVER_KEY_REUSED', 'This idempotency key was used before with another request.', {
    more: { run: job.run },
  })
}
