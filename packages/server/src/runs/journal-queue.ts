import { join } from 'node:path'
import { Journal } from './journal.ts'
import type { Job, JobFailure, JobFilter, Queue, QueuedJob } from './queue.ts'

/** How many finished jobs are remembered: a send that is repeated later makes a new run. */
const REMEMBERED = 10_000

type Line = { type: 'job'; job: Job } | { type: 'end'; run: string; failure?: JobFailure }

/** The queue of one process, kept in a file of a folder that belongs to this user. */
export class JournalQueue implements Queue {
  readonly #journal: Journal
  readonly #jobs: Map<string, QueuedJob> = new Map()
  /** The run of each key. */
  readonly #keys: Map<string, string> = new Map()
  /** Runs that are not over, oldest first. */
  readonly #open: Set<string> = new Set()
  /** The run that has each document: taken, or parked. */
  readonly #holders: Map<string, string> = new Map()
  #wake: (() => void)[] = []

  constructor(folder: string) {
    const { journal, values } = Journal.open<Line>(join(folder, 'runs.jsonl'))
    this.#journal = journal
    for (const line of values) this.#read(line)
    if (values.length > REMEMBERED * 2 + this.#open.size) this.#forget()
  }

  async enqueue(job: Job): Promise<{ queued: QueuedJob; isNew: boolean }> {
    const known = this.#jobs.get((job.key === undefined ? undefined : this.#keys.get(job.key)) ?? job.run)
    if (known !== undefined && (known.state !== 'finished' || job.key !== undefined)) {
      if (known.state === 'parked') this.#free(known, 'waiting')
      return { queued: known, isNew: false }
    }
    const queued = this.#add(job)
    try {
      await this.#journal.append({ type: 'job', job } satisfies Line)
    } catch (error) {
      this.#drop(job)
      throw error
    }
    this.#tell()
    return { queued, isNew: true }
  }

  async take(signal: AbortSignal): Promise<Job | undefined> {
    while (!signal.aborted) {
      const next = this.#next()
      if (next === undefined) {
        await this.#change(signal)
        continue
      }
      next.state = 'taken'
      this.#holders.set(next.job.document, next.job.run)
      return next.job
    }
    return undefined
  }

  async renew(run: string): Promise<boolean> {
    return this.#jobs.get(run)?.state === 'taken'
  }

  async park(run: string): Promise<void> {
    const queued = this.#jobs.get(run)
    if (queued?.state === 'taken') queued.state = 'parked'
  }

  async finish(run: string, failure?: JobFailure): Promise<void> {
    const queued = this.#jobs.get(run)
    if (queued === undefined || queued.state === 'finished') return
    this.#end(queued, failure)
    this.#tell()
    await this.#journal.append({ type: 'end', run, ...(failure && { failure }) } satisfies Line)
  }

  async list({ run, key, document }: JobFilter = {}): Promise<QueuedJob[]> {
    const named = run ?? (key === undefined ? undefined : this.#keys.get(key))
    if (run !== undefined || key !== undefined) {
      const one = named === undefined ? undefined : this.#jobs.get(named)
      return one === undefined ? [] : [one]
    }
    const all = Array.from(this.#open, one => this.#jobs.get(one)!)
    return document === undefined ? all : all.filter(({ job }) => job.document === document)
  }

  close(): Promise<void> {
    return this.#journal.close()
  }

  #read(line: Line): void {
    if (line.type === 'job') this.#add(line.job)
    const queued = line.type === 'end' ? this.#jobs.get(line.run) : undefined
    if (line.type === 'end' && queued !== undefined) this.#end(queued, line.failure)
  }

  #next(): QueuedJob | undefined {
    for (const run of this.#open) {
      const queued = this.#jobs.get(run)!
      const holder = this.#holders.get(queued.job.document)
      if (queued.state === 'waiting' && (holder === undefined || holder === run)) return queued
    }
    return undefined
  }

  /** It keeps its document: who waits behind it still does. */
  #free(queued: QueuedJob, state: 'waiting'): void {
    queued.state = state
    this.#tell()
  }

  #add(job: Job): QueuedJob {
    const queued: QueuedJob = { job, state: 'waiting' }
    this.#jobs.set(job.run, queued)
    if (job.key !== undefined) this.#keys.set(job.key, job.run)
    this.#open.add(job.run)
    return queued
  }

  #drop(job: Job): void {
    this.#jobs.delete(job.run)
    this.#open.delete(job.run)
    if (job.key !== undefined) this.#keys.delete(job.key)
  }

  /** What was sent is in the document by now: only what tells two sends apart is kept. */
  #end(queued: QueuedJob, failure: JobFailure | undefined): void {
    queued.state = 'finished'
    queued.failure = failure
    queued.job.input = undefined
    this.#open.delete(queued.job.run)
    if (this.#holders.get(queued.job.document) === queued.job.run) this.#holders.delete(queued.job.document)
  }

  #forget(): void {
    const finished = [...this.#jobs.values()].filter(({ state }) => state === 'finished')
    for (const { job } of finished.slice(0, -REMEMBERED)) this.#drop(job)
    this.#journal.rewrite(
      [...this.#jobs.values()].flatMap(({ job, state, failure }): Line[] => [
        { type: 'job', job },
        ...(state === 'finished' ? [{ type: 'end', run: job.run, ...(failure && { failure }) } as const] : []),
      ]),
    )
  }

  #tell(): void {
    const wake = this.#wake
    this.#wake = []
    for (const one of wake) one()
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      this.#wake.push(done)
    })
  }
}
