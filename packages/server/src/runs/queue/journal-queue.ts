import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type LockFile, makeFolders, tryLockFile } from '@argot/agent/workshop'
import { ArgotError } from 'argot'
import { Journal } from './journal.ts'
import { type Job, type JobFailure, type JobFilter, mayBeSentAgain, type Queue, type QueuedJob } from './queue.ts'

/** How many finished jobs are remembered: a send that is repeated later makes a new run. */
const REMEMBERED = 10_000

/** How often a server looks whether the queue is still its own. */
const LOOK_MS = 1000

/** A journal that has grown by less than this is not written again. */
const LEAST_GROWTH = 1024 * 1024

export interface JournalQueueOptions {
  /** How many finished jobs are remembered; 10,000 by default. */
  remembered?: number | undefined
  /** After how many bytes of growth the journal is written again at the earliest; 1 MiB by default. */
  leastGrowth?: number | undefined
}

type Line =
  | { type: 'open'; epoch: number }
  | { type: 'job'; epoch?: number; job: Job }
  | { type: 'end'; epoch?: number; run: string; failure?: JobFailure }

/**
 * The queue of one process, kept in a file of a folder that belongs to this user. A lock file says which process that is:
 * one that is gone is followed by the next; one that was thought gone and comes back is refused everything.
 */
export class JournalQueue implements Queue {
  readonly #journal: Journal
  readonly #lock: LockFile
  readonly #epoch: number
  readonly #lost: AbortController = new AbortController()
  readonly #look: ReturnType<typeof setInterval>
  readonly #jobs: Map<string, QueuedJob> = new Map()
  /** The run of each key. */
  readonly #keys: Map<string, string> = new Map()
  /** Runs that are not over, oldest first. */
  readonly #open: Set<string> = new Set()
  /** The run that has each document: taken, or parked. */
  readonly #holders: Map<string, string> = new Map()
  #wake: (() => void)[] = []
  readonly #path: string
  readonly #remembered: number
  readonly #leastGrowth: number
  /** How large the journal may become before it is written again. */
  #limit = 0

  /** Throws `SERVER_LOCKED` while another process has the folder. */
  constructor(folder: string, { remembered = REMEMBERED, leastGrowth = LEAST_GROWTH }: JournalQueueOptions = {}) {
    this.#remembered = remembered
    this.#leastGrowth = leastGrowth
    this.#path = join(folder, 'runs.jsonl')
    this.#lock = lockFolder(folder)
    const { journal, values } = this.#openJournal(this.#path)
    this.#journal = journal
    let epoch = 0
    for (const line of values) {
      // Who wrote after the next one had begun was refused, whatever of it is here.
      if ((line.epoch ?? 0) < epoch) continue
      epoch = line.epoch ?? epoch
      this.#read(line)
    }
    this.#epoch = Math.max(this.#lock.epoch, epoch + 1)
    this.#mark()
    this.#limit = leastGrowth
    this.#compactIfGrown()
    this.#look = setInterval(() => this.#isOurs(), LOOK_MS)
    this.#look.unref()
  }

  /** Aborted when another process has the folder. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async enqueue(job: Job): Promise<{ queued: QueuedJob; isNew: boolean }> {
    const known = this.#jobs.get((job.key === undefined ? undefined : this.#keys.get(job.key)) ?? job.run)
    if (known !== undefined && (known.state !== 'finished' || (job.key !== undefined && !mayBeSentAgain(known)))) {
      if (known.state === 'parked') this.#free(known, 'waiting')
      return { queued: known, isNew: false }
    }
    // A run that is continued after its end here is still what was asked for: its model, its approvals, its key.
    const own = known?.job.run === job.run && job.digest === undefined ? { ...known.job, ...job } : job
    const queued = this.#add(own)
    try {
      await this.#write({ type: 'job', epoch: this.#epoch, job: own })
    } catch (error) {
      this.#drop(own)
      throw error
    }
    this.#tell()
    return { queued, isNew: true }
  }

  async take(signal: AbortSignal): Promise<Job | undefined> {
    while (!signal.aborted && this.#isOurs()) {
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
    return this.#isOurs() && this.#jobs.get(run)?.state === 'taken'
  }

  async park(run: string): Promise<void> {
    const queued = this.#jobs.get(run)
    if (queued?.state === 'taken') queued.state = 'parked'
  }

  async finish(run: string, failure?: JobFailure): Promise<void> {
    const queued = this.#jobs.get(run)
    if (queued === undefined || queued.state === 'finished') return
    if (!this.#isOurs()) throw lockLost()
    this.#end(queued, failure)
    this.#tell()
    await this.#write({ type: 'end', epoch: this.#epoch, run, ...(failure && { failure }) })
  }

  async forget(isErased: (job: Job) => boolean): Promise<void> {
    if (!this.#isOurs()) throw lockLost()
    const over = [...this.#jobs.values()].filter(({ state, job }) => state === 'finished' && isErased(job))
    for (const { job } of over) this.#drop(job)
    if (over.length > 0) this.#compact()
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

  async close(): Promise<void> {
    clearInterval(this.#look)
    await this.#journal.close()
    this.#lock.release()
  }

  #openJournal(path: string): { journal: Journal; values: Line[] } {
    try {
      return Journal.open<Line>(path)
    } catch (error) {
      this.#lock.release()
      throw error
    }
  }

  /** From here on nobody is believed who began before. */
  #mark(): void {
    try {
      this.#journal.appendNow({ type: 'open', epoch: this.#epoch } satisfies Line)
    } catch (error) {
      this.#lock.release()
      throw error
    }
  }

  #isOurs(): boolean {
    if (!this.#lost.signal.aborted && !this.#lock.isOurs()) {
      this.#lost.abort(lockLost())
      this.#tell()
    }
    return !this.#lost.signal.aborted
  }

  /** What was written after another process had begun is not read by it: then it was not accepted, either. */
  async #write(line: Line): Promise<void> {
    if (!this.#isOurs()) throw lockLost()
    await this.#journal.append(line)
    if (!this.#isOurs()) throw lockLost()
    this.#compactIfGrown()
  }

  #read(line: Line): void {
    if (line.type === 'job' && typeof line.job?.run === 'string') this.#add(line.job)
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

  /** It keeps its document: who waits after it still does. */
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

  /** What is said of jobs that are over, messages included, goes out of the file: it never has more than twice what counts. */
  #compactIfGrown(): void {
    if (statSync(this.#path).size <= this.#limit || !this.#isOurs()) return
    const finished = [...this.#jobs.values()].filter(({ state }) => state === 'finished')
    for (const { job } of finished.slice(0, Math.max(0, finished.length - this.#remembered))) this.#drop(job)
    try {
      this.#compact()
    } catch {
      // The disk is full, for example: the journal is as it was, and is tried again when it has grown further.
      this.#limit += this.#leastGrowth
    }
  }

  /** Lines that are on their way to the old file are of jobs that are in memory already, so the new one has them. */
  #compact(): void {
    const jobs = [...this.#jobs.values()].flatMap(({ job, state, failure }): Line[] => [
      { type: 'job', epoch: this.#epoch, job },
      ...(state === 'finished'
        ? [{ type: 'end', epoch: this.#epoch, run: job.run, ...(failure && { failure }) } as const]
        : []),
    ])
    this.#journal.rewrite([{ type: 'open', epoch: this.#epoch } satisfies Line, ...jobs])
    const { size } = statSync(this.#path)
    this.#limit = size + Math.max(size, this.#leastGrowth)
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

function lockFolder(folder: string): LockFile {
  makeFolders(folder, 0o700)
  const lock = tryLockFile(join(folder, 'server.lock'))
  if (typeof lock !== 'string') return lock
  const message = `Another server is using \`${folder}\`: ${lock}. Stop it, or give this one a folder of its own (\`--state\`).`
  throw new ArgotError('SERVER_LOCKED', message)
}

function lockLost(): ArgotError {
  return new ArgotError('SERVER_LOCK_LOST', 'Another server has taken over. Ask that one.')
}
