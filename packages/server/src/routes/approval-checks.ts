import type { Store } from '@argot/agent'
import { checkWaitingCall } from '@argot/agent/internal'
import { defined } from '@argot/core/stream/internal'
import type { ApprovalCheckResult } from '../api/index.ts'
import { notFound, tooMany } from '../guard/problem.ts'
import type { Queue } from '../runs/queue/queue.ts'
import type { ServerRunOptions } from '../runs/runner.ts'
import type { Runs } from '../runs/runs.ts'

interface CheckContext {
  store: Store
  runs: Runs
  queue: Queue
  run: ServerRunOptions
  closing: AbortSignal
  now(): number
}

/** Checks read files. */
const CHECKS_AT_A_TIME = 8
/** Requests within this time share one result. */
const KEPT_MS = 100

export class ApprovalChecks {
  readonly #checks: Map<string, Promise<ApprovalCheckResult>> = new Map()
  #running = 0

  /** What a waiting call would do now. Its input comes from the run's log, never from the client. */
  async check(server: CheckContext, run: string, approvalId: string): Promise<ApprovalCheckResult> {
    const { document } = await server.runs.get(run)
    const { pending = [], fleeting, checks } = (await server.runs.summary(run)) ?? {}
    const question = pending.find(one => one.approvalId === approvalId)
    if (question === undefined) throw notFound(`open question \`${approvalId.slice(0, 200)}\``)
    // An agent inside the run uses another document's tools.
    if (fleeting?.has(approvalId) === true) return { state: 'unknown', at: new Date(server.now()).toISOString() }
    const key = JSON.stringify([run, approvalId])
    const cached = this.#checks.get(key)
    if (cached !== undefined) return cached
    if (this.#running >= CHECKS_AT_A_TIME) throw tooMany('checks at a time', CHECKS_AT_A_TIME)
    const { toolName, input } = question
    const checking = this.#run(server, { run, document, toolName, input, check: checks?.get(approvalId) })
    this.#checks.set(key, checking)
    const forget = (): void => void setTimeout(() => this.#checks.delete(key), KEPT_MS).unref()
    void checking.then(forget, forget)
    return checking
  }

  async #run(
    server: CheckContext,
    { run, document, ...call }: { run: string; document: string } & Parameters<typeof checkWaitingCall>[1],
  ): Promise<ApprovalCheckResult> {
    this.#running++
    try {
      const [queued] = await server.queue.list({ run })
      const { params, model, syntax } = queued?.job ?? {}
      const { store } = server
      const place = store.root === undefined ? { store } : { cwd: store.root }
      const options = { ...server.run, ...place, ...defined({ params, model, syntax }), now: server.now }
      const { at, ...rest } = await checkWaitingCall(document, call, { ...options, signal: server.closing })
      return { ...rest, at: new Date(at).toISOString() }
    } catch {
      // The document can't be read or prepared any more. The run reports why when it continues.
      return { state: 'unknown', at: new Date(server.now()).toISOString() }
    } finally {
      this.#running--
    }
  }
}
