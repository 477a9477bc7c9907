import type { Store } from '@argot/agent'
import type { Limits } from '../../guard/limits.ts'
import type { Job, JobFailure, Queue, QueuedJob } from '../queue/queue.ts'
import { LiveRun } from './live-run.ts'

/** More runs than this are kept only while they are in use. */
const KEPT_RUNS = 500

export interface RunBookOptions {
  store: Store
  queue: Queue
  limits: Limits
  /** A run is new, or its state or its questions have changed. */
  onChange: (live: LiveRun) => void
}

/** The runs that this process knows, each once. Every job change goes through it, so that each run knows its job. */
export class RunBook {
  readonly #options: RunBookOptions
  readonly #runs: Map<string, LiveRun> = new Map()

  constructor(options: RunBookOptions) {
    this.#options = options
  }

  /** A run that has a job or a log; undefined for any other. */
  async find(run: string): Promise<LiveRun | undefined> {
    if (this.#runs.get(run)?.isGone === true) this.drop(run)
    const live = this.#runs.get(run) ?? this.#create(run)
    // Least recently used first, so that they are removed first.
    this.#runs.delete(run)
    this.#runs.set(run, live)
    live.job ??= (await this.#options.queue.list({ run }))[0]
    await live.open()
    if (live.hasLog || live.job !== undefined) {
      this.#forget()
      return live
    }
    this.drop(run)
    return undefined
  }

  /** Follows job changes by other processes, until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    const { queue } = this.#options
    for await (const run of queue.watch?.(signal) ?? []) {
      const runs = run === undefined ? [...this.#runs.values()].filter(({ isInUse }) => isInUse) : [this.#runs.get(run)]
      for (const live of runs) if (live !== undefined) await this.#refresh(live).catch(() => {})
    }
  }

  async #refresh(live: LiveRun): Promise<void> {
    const [queued] = await this.#options.queue.list({ run: live.run })
    if (!live.hasLog) await live.open()
    const isNews = queued?.state !== live.job?.state
    live.job = queued ?? live.job
    if (isNews) this.#note(queued ?? { ...live.job!, state: 'finished' })
    else live.notifyWaiters()
  }

  async enqueue(job: Job): Promise<{ queued: QueuedJob; isNew: boolean }> {
    const accepted = await this.#options.queue.enqueue(job)
    this.#note(accepted.queued)
    return accepted
  }

  noteTaken(job: Job): void {
    this.#note({ job, state: 'taken' })
    // Queued runs may have to wait longer now.
    for (const live of this.#runs.values()) if (live.job?.state === 'waiting') live.notifyWaiters()
  }

  async park(job: Job): Promise<void> {
    await this.#options.queue.park(job.run)
    this.#note({ job, state: 'parked' })
  }

  /** This process no longer works on it, even if the queue couldn't be updated. */
  async finish(job: Job, failure?: JobFailure): Promise<void> {
    try {
      await this.#options.queue.finish(job.run, failure)
    } finally {
      this.#note({ job, state: 'finished', failure })
    }
  }

  async noteBegun(run: string): Promise<void> {
    await this.#runs.get(run)?.open()
  }

  /** Forgets runs that are over, whose logs may have been removed. */
  forgetEnded(path: string): void {
    for (const [run, live] of this.#runs)
      if (live.path === path && live.state === 'ended' && !live.isInUse) this.drop(run)
  }

  /** Gives up runs, or all of them. Their readers end. */
  close(runs: Iterable<string> = [...this.#runs.keys()]): void {
    for (const run of runs) this.drop(run)
  }

  drop(run: string): void {
    this.#runs.get(run)?.close()
    this.#runs.delete(run)
  }

  #note(queued: QueuedJob): void {
    const live = this.#runs.get(queued.job.run)
    if (live === undefined) return
    live.job = queued
    live.notifyWaiters()
    this.#options.onChange(live)
  }

  #create(run: string): LiveRun {
    const { store, limits, onChange } = this.#options
    const live: LiveRun = new LiveRun(store, run, limits.resultBytes, () => onChange(live))
    return live
  }

  #forget(): void {
    if (this.#runs.size <= KEPT_RUNS) return
    for (const [run, live] of this.#runs) {
      if (this.#runs.size <= KEPT_RUNS) return
      if (!live.isInUse) this.drop(run)
    }
  }
}
