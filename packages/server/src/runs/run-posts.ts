import type { Post } from '@argot/agent/internal'
import { defined } from '@argot/core/stream/internal'
import type { AnswerBody, CallOutput } from '../api/bodies.ts'
import type { AnswerResult, RunResource } from '../api/index.ts'
import { Problem } from '../guard/problem.ts'
import { InTurn } from './in-turn.ts'
import type { LiveRun } from './live/live-run.ts'
import type { RunBook } from './live/run-book.ts'
import { postAnswer } from './post-answer.ts'
import { getQuestions } from './run-describer.ts'
import { getDocument, type RunFinder } from './run-finder.ts'
import type { Runner } from './runner.ts'

export interface RunPostsOptions {
  book: RunBook
  runner: Runner
  now: () => number
}

/** How long a stop waits for another process that is about to start the run. */
const START_MS = 10_000

/** What clients send to runs: stops, answers and outputs. */
export class RunPosts {
  readonly #options: RunPostsOptions
  readonly #finder: RunFinder
  /** By document. */
  readonly #posting: InTurn = new InTurn()

  constructor(options: RunPostsOptions, finder: RunFinder) {
    this.#options = options
    this.#finder = finder
  }

  /** Nothing is posted to the document's runs while `work` runs. */
  betweenPosts<Value>(document: string, work: () => Promise<Value>): Promise<Value> {
    return this.#posting.do(document, work)
  }

  /** Continues a run that waits. */
  async wake(run: string, document: string): Promise<void> {
    await this.#options.book.enqueue({ run, document, at: this.#options.now() })
  }

  /** Stops a run, even a waiting one. Its questions are withdrawn. */
  async stop(run: string, reason?: string): Promise<RunResource> {
    await this.#post(run, (live, document) => this.#stop(live, document, reason))
    return this.#finder.get(run)
  }

  async #stop(live: LiveRun, document: string, reason: string | undefined): Promise<void> {
    const { run } = live
    if (await this.#finder.isOver(live)) return
    if (live.path === undefined) {
      const isHere = this.#options.runner.stop(run)
      if (live.job?.state === 'waiting') await this.#options.book.finish(live.job.job)
      // Another process is about to start it, and gets the stop once it has.
      const isOn = ({ hasLog, job }: LiveRun): boolean => isHere || hasLog || job?.state !== 'taken'
      await live.until(isOn, AbortSignal.timeout(START_MS))
      if (!live.hasLog) return
    }
    await live.post({ id: 'stop', type: 'stop', ...defined({ reason }) })
    // Checked afterwards: a run that was about to park has done so by now, and no longer reads its inbox. While someone
    // else holds its document, for example to rename it, a parked run looks as if it were running.
    if (live.state !== 'running' || live.job?.state === 'parked') await this.wake(run, document)
  }

  /** Takes answers independently of each other. */
  answer(run: string, answers: readonly AnswerBody[], by: string): Promise<AnswerResult[]> {
    return this.#post(run, (live, document) => this.#answer(live, document, answers, by))
  }

  async #answer(live: LiveRun, document: string, answers: readonly AnswerBody[], by: string): Promise<AnswerResult[]> {
    const isUnknown = ({ approvalId }: AnswerBody): boolean =>
      !live.summary.answers.has(approvalId) && !live.summary.pending.some(one => one.approvalId === approvalId)
    if (answers.some(isUnknown)) await live.catchUp()
    const results: AnswerResult[] = []
    for (const one of answers) {
      const isRunOver = await this.#finder.isOver(live)
      const summary = { ...live.summary, pending: getQuestions(live.summary, this.#options.runner.isWorkingOn(live)) }
      const posting = { posts: () => live.posts(), post: (post: Post) => live.post(post) }
      results.push(await postAnswer({ isOver: isRunOver, summary, ...posting }, one, by))
    }
    if (results.some(({ status }) => status === 200)) await this.wake(live.run, document)
    return results
  }

  /** Takes the output of a call that runs in the client. Only the first one applies. */
  giveOutput(run: string, output: CallOutput): Promise<void> {
    return this.#post(run, (live, document) => this.#giveOutput(live, document, output))
  }

  async #giveOutput(live: LiveRun, document: string, output: CallOutput): Promise<void> {
    const { run } = live
    const { toolCallId, ...rest } = output
    const post: Post = { id: `output:${toolCallId}`, type: 'output', toolCallId, ...rest }
    const isFirst = !(await live.posts()).some(({ id }) => id === post.id)
    if (isFirst && (await this.#finder.isOver(live)))
      throw new Problem(410, 'SERVER_RUN_OVER', `The run \`${run}\` is over.`)
    const isOpen = isFirst && live.summary.open.some(call => call.toolCallId === toolCallId)
    const outcome = isOpen ? await live.post(post) : 'already'
    if (outcome === 'already') {
      const message = `No call \`${toolCallId.slice(0, 200)}\` in this run waits for an output.`
      throw new Problem(409, 'SERVER_NOT_WAITING', message)
    }
    await this.wake(run, document)
  }

  /** Posts to a run. This process doesn't move its document until `work` is over. */
  async #post<Value>(run: string, work: (live: LiveRun, document: string) => Promise<Value>): Promise<Value> {
    for (;;) {
      const document = getDocument(await this.#finder.getLive(run))
      const outcome = await this.#posting.do(document, async () => {
        const live = await this.#finder.getLive(run)
        return getDocument(live) === document ? { value: await work(live, document) } : undefined
      })
      if (outcome !== undefined) return outcome.value
    }
  }
}
