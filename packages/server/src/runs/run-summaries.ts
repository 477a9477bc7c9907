import type { Post, RunLogs } from '@argot/agent/workshop'
import { type PendingApproval, type RunSummary, SummaryFold } from './run-summary.ts'

/** Of how many runs it is kept what their logs say. */
const KEPT = 500

/** What logs say of their runs. A log that is asked about again is read from where it was left, however long it is. */
export class RunSummaries {
  readonly #logs: RunLogs
  readonly #folds: Map<string, SummaryFold> = new Map()

  constructor(logs: RunLogs) {
    this.#logs = logs
  }

  /** Undefined for a run that has no log, or an empty one. */
  async of(run: string): Promise<RunSummary | undefined> {
    const fold = this.#folds.get(run) ?? new SummaryFold()
    for (const line of await this.#logs.tail(run, fold.next)) fold.push(line)
    if (fold.next === 0) return undefined
    this.#folds.delete(run)
    this.#folds.set(run, fold)
    if (this.#folds.size > KEPT) this.#folds.delete(this.#folds.keys().next().value!)
    return fold.result()
  }

  /** Whether a parked run has something to do: a stop, an answer to a question, an output that it waits for. */
  async isWanted(run: string, posts: readonly Post[]): Promise<boolean> {
    if (posts.length === 0) return false
    const { pending, open } = (await this.of(run)) ?? { pending: [], open: [] }
    return posts.some(post => {
      if (post.type === 'stop') return true
      if (post.type === 'answer') return pending.some(question => isAnswerTo(post, question))
      return post.type === 'output' && open.some(({ toolCallId }) => toolCallId === post.toolCallId)
    })
  }
}

function isAnswerTo({ approvalId, inputHash }: Extract<Post, { type: 'answer' }>, question: PendingApproval): boolean {
  if (question.approvalId !== approvalId) return false
  return inputHash === undefined || inputHash === question.inputHash
}
