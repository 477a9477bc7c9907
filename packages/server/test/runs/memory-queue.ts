import type { Queue } from '@argot/server'
import type { Job, JobFailure, JobFilter, QueuedJob } from '@argot/server/internal'

/** A queue of one's own: in memory, as small as the promises allow. */
export class MemoryQueue implements Queue {
  readonly #jobs: QueuedJob[]
  #wake: () => void = () => {}

  /** What an earlier process had taken or parked is free again. */
  constructor(jobs: readonly QueuedJob[] = []) {
    this.#jobs = jobs.map(one => ({ ...one, state: one.state === 'finished' ? 'finished' : 'waiting' }))
  }

  /** What survives the process. */
  get jobs(): readonly QueuedJob[] {
    return this.#jobs
  }

  async enqueue(job: Job): Promise<{ queued: QueuedJob; isNew: boolean }> {
    const byRun = this.#find(job.run)
    const byKey = job.key === undefined ? undefined : this.#jobs.findLast(one => one.job.key === job.key)
    const known = byRun ?? (byKey !== undefined && mayBeSentAgain(byKey) ? undefined : byKey)
    if (known === undefined) {
      const queued: QueuedJob = { job, state: 'waiting' }
      this.#jobs.push(queued)
      this.#wake()
      return { queued, isNew: true }
    }
    if (known === byRun && known.state !== 'taken') {
      if (job.digest !== undefined) known.job = job
      known.state = 'waiting'
      known.failure = undefined
      this.#wake()
    }
    return { queued: known, isNew: false }
  }

  async forget(isErased: (job: Job) => boolean): Promise<void> {
    const kept = this.#jobs.filter(({ state, job }) => state !== 'finished' || !isErased(job))
    this.#jobs.splice(0, this.#jobs.length, ...kept)
  }

  async take(signal: AbortSignal): Promise<Job | undefined> {
    while (!signal.aborted) {
      const busy = new Set<string>()
      for (const one of this.#jobs) {
        if (one.state === 'finished') continue
        if (one.state === 'waiting' && !busy.has(one.job.document)) {
          one.state = 'taken'
          return one.job
        }
        busy.add(one.job.document)
      }
      await new Promise<void>(resolve => {
        this.#wake = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    return undefined
  }

  async renew(run: string): Promise<boolean> {
    return this.#find(run)?.state === 'taken'
  }

  async park(run: string): Promise<void> {
    const found = this.#find(run)
    if (found?.state === 'taken') found.state = 'parked'
  }

  async finish(run: string, failure?: JobFailure): Promise<void> {
    const found = this.#find(run)
    if (found === undefined) return
    found.state = 'finished'
    found.failure = failure
    this.#wake()
  }

  async list({ run, key, document }: JobFilter = {}): Promise<QueuedJob[]> {
    if (run !== undefined) return this.#jobs.filter(one => one.job.run === run)
    if (key !== undefined) return this.#jobs.filter(one => one.job.key === key).slice(-1)
    const open = this.#jobs.filter(({ state }) => state !== 'finished')
    return document === undefined ? open : open.filter(one => one.job.document === document)
  }

  #find(run: string): QueuedJob | undefined {
    return this.#jobs.find(one => one.job.run === run)
  }
}

function mayBeSentAgain({ failure }: QueuedJob): boolean {
  return failure !== undefined && failure.hasBegun !== true
}
