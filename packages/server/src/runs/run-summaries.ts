import type { Post, RunLogs } from '@argot/agent/internal'
import type { PendingApproval } from '../api/index.ts'
import { InTurn } from './in-turn.ts'
import { type RunSummary, SummaryFold } from './run-summary.ts'

/** Of how many runs it is kept what their logs say. */
const KEPT = 500

/** What logs say of their runs. A log that is asked about again is read from where it was left, however long it is. */
export class RunSummaries {
  readonly #logs: RunLogs
  readonly #folds: Map<string, SummaryFold> = new Map()
  readonly #reading: InTurn = new InTurn()

  constructor(logs: RunLogs) {
    this.#logs = logs
  }

  /** Undefined for a run that has no log, or an empty one. */
  of(run: string): Promise<RunSummary | undefined> {
    // Whoever asks meanwhile waits: two readings of one log would each begin it again.
    return this.#reading.do(run, () => this.#read(run))
  }

  async #read(run: string): Promise<RunSummary | undefined> {
    const fold = this.#folds.get(run) ?? new SummaryFold()
    for (let piece = 0; ; piece++) {
      const lines = await this.#logs.tail(run, fold.next)
      if (lines.length === 0) break
      for (const line of lines) fold.push(line)
      // A long log is read in many pieces: others have their turn between them.
      if (piece > 0) await new Promise(resolve => setImmediate(resolve))
    }
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
