import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type LockFile, makeFolders, readLeaseMs, tryLockFile, waitForLockFile } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { Journal, type JournalDisk } from './journal.ts'
import { compactLines, type JournalLine, ownLines } from './journal-line.ts'
import { type Job, type JobFailure, type JobFilter, mayBeSentAgain, type Queue, type QueuedJob } from './queue.ts'
import { toCurrentKeys } from './send-key.ts'

/** How many finished jobs are remembered. Repeating an older send starts a new run. */
const REMEMBERED = 10_000

const CHECK_LOCK_MS = 1000

export interface JournalQueueOptions {
  lock?: LockFile | undefined
  disk?: JournalDisk | undefined
  remembered?: number | undefined
  /** The minimum growth in bytes before the journal is rewritten; 1 MiB by default. */
  leastGrowth?: number | undefined
}

const LEAST_GROWTH = 1024 * 1024

/**
 * One process's queue, stored in a file in this user's folder. A lock file names the process. If it is gone, the next
 * process follows. If it only seemed gone and comes back, everything it does is refused.
 */
export class JournalQueue implements Queue {
  readonly #journal: Journal
  readonly #lock: LockFile
  readonly #epoch: number
  readonly #remembered: number
  readonly #lost: AbortController = new AbortController()
  readonly #lockTimer: ReturnType<typeof setInterval>
  readonly #jobs: Map<string, QueuedJob> = new Map()
  readonly #keys: Map<string, string> = new Map()
  /** Runs that aren't over, oldest first. */
  readonly #open: Set<string> = new Set()
  /** The run that holds each document: taken or parked. */
  readonly #holders: Map<string, string> = new Map()
  #wake: (() => void)[] = []
  readonly #path: string
  readonly #leastGrowth: number
  #limit: number

  /**
   * Throws `SERVER_LOCKED` while another process has the folder. A process on another machine or in another container
   * is assumed to be running: `openQueue` finds out whether it is.
   */
  constructor(folder: string, options: JournalQueueOptions = {}) {
    const { lock = lockFolder(folder), disk, remembered = REMEMBERED, leastGrowth = LEAST_GROWTH } = options
    this.#lock = lock
    this.#remembered = remembered
    this.#leastGrowth = leastGrowth
    this.#limit = leastGrowth
    this.#path = join(folder, 'runs.jsonl')
    const { journal, values } = this.#orRelease(() =>
      Journal.open<JournalLine>(this.#path, { disk, check: () => this.#checkOurs() }),
    )
    this.#journal = journal
    const { lines, epoch } = ownLines(values)
    for (const line of lines) this.#read(line)
    this.#epoch = Math.max(this.#lock.epoch, epoch + 1)
    this.#orRelease(() => {
      if (values.length > this.#remembered * 2 + this.#open.size) this.#forget()
      // From here on, lines of earlier processes are ignored.
      this.#journal.appendNow({ type: 'open', epoch: this.#epoch } satisfies JournalLine)
    })
    this.#lockTimer = setInterval(() => this.#isOurs(), CHECK_LOCK_MS)
    this.#lockTimer.unref()
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async enqueue(job: Job): Promise<{ queued: QueuedJob; isNew: boolean }> {
    const existing = this.#jobs.get((job.key === undefined ? undefined : this.#keys.get(job.key)) ?? job.run)
    if (
      existing !== undefined &&
      (existing.state !== 'finished' || (job.key !== undefined && !mayBeSentAgain(existing)))
    ) {
      if (existing.state === 'parked') this.#free(existing, 'waiting')
      return { queued: existing, isNew: false }
    }
    // A run that is continued after its end keeps its original request: its model, its approvals, its key.
    const acceptedJob = existing?.job.run === job.run && job.digest === undefined ? { ...existing.job, ...job } : job
    const queued = this.#add(acceptedJob)
    try {
      await this.#write({ type: 'job', epoch: this.#epoch, job: acceptedJob })
    } catch (error) {
      this.#drop(acceptedJob)
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
    if (!this.#isOurs()) throw lockLostError()
    this.#end(queued, failure)
    this.#tell()
    await this.#write({ type: 'end', epoch: this.#epoch, run, ...(failure && { failure }) })
  }

  async forget(isErased: (job: Job) => boolean): Promise<void> {
    this.#checkOurs()
    const over = [...this.#jobs.values()].filter(({ state, job }) => state === 'finished' && isErased(job))
    for (const { job } of over) this.#drop(job)
    if (over.length > 0) await this.#rewrite(new Set(over.map(({ job }) => job.run)))
  }

  async list({ run, key, document }: JobFilter = {}): Promise<QueuedJob[]> {
    const runId = run ?? (key === undefined ? undefined : this.#keys.get(key))
    if (run !== undefined || key !== undefined) {
      const queued = runId === undefined ? undefined : this.#jobs.get(runId)
      return queued === undefined ? [] : [queued]
    }
    const all = Array.from(this.#open, one => this.#jobs.get(one)!)
    return document === undefined ? all : all.filter(({ job }) => job.document === document)
  }

  async close(): Promise<void> {
    clearInterval(this.#lockTimer)
    await this.#journal.close()
    this.#lock.release()
  }

  #orRelease<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.#lock.release()
      throw error
    }
  }

  #isOurs(): boolean {
    if (!this.#lost.signal.aborted && !this.#lock.isOurs()) {
      this.#lost.abort(lockLostError())
      this.#tell()
    }
    return !this.#lost.signal.aborted
  }

  /** Lines written after another process has started are not read by it, so they must not count as accepted. */
  async #write(line: JournalLine): Promise<void> {
    this.#checkOurs()
    await this.#journal.append(line)
    this.#checkOurs()
    if (statSync(this.#path).size > this.#limit) await this.#compact()
  }

  #checkOurs(): void {
    if (!this.#isOurs()) throw lockLostError()
  }

  #read(line: JournalLine): void {
    if (line.type === 'job' && typeof line.job?.run === 'string') {
      this.#add(line.job)
      for (const key of toCurrentKeys(line.job)) this.#keys.set(key, line.job.run)
    }
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

  /** It keeps its document, so later jobs still wait. */
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
    for (const key of [job.key, ...toCurrentKeys(job)]) if (key !== undefined) this.#keys.delete(key)
  }

  /** The input is in the document by now. Only what distinguishes two sends is kept. */
  #end(queued: QueuedJob, failure: JobFailure | undefined): void {
    queued.state = 'finished'
    queued.failure = failure
    queued.job.input = undefined
    this.#open.delete(queued.job.run)
    if (this.#holders.get(queued.job.document) === queued.job.run) this.#holders.delete(queued.job.document)
  }

  /** If the disk is full, the long journal stays. It is complete. */
  #forget(): void {
    const finishedJobs = [...this.#jobs.values()].filter(({ state }) => state === 'finished')
    for (const { job } of finishedJobs.slice(0, -this.#remembered)) this.#drop(job)
    try {
      this.#journal.rewriteNow<JournalLine>(lines => compactLines(lines, this.#epoch, this.#remembered))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }

  /**
   * Removes the input of finished jobs from the file. Afterwards the file may double, or grow by `leastGrowth`, before
   * it is compacted again.
   */
  async #compact(): Promise<void> {
    this.#limit = Number.POSITIVE_INFINITY
    const finishedJobs = [...this.#jobs.values()].filter(({ state }) => state === 'finished')
    for (const { job } of finishedJobs.slice(0, Math.max(0, finishedJobs.length - this.#remembered))) this.#drop(job)
    try {
      await this.#rewrite(new Set())
    } catch {
      // For example, the disk is full. The journal is unchanged, and the next attempt follows when it has grown
      // further.
      this.#limit = statSync(this.#path).size + this.#leastGrowth
    }
  }

  async #rewrite(erased: ReadonlySet<string>): Promise<void> {
    await this.#journal.rewrite<JournalLine>(lines => {
      const compacted = compactLines(lines, this.#epoch, this.#remembered)
      const isKept = (line: JournalLine): boolean =>
        line.type === 'open' || !erased.has(line.type === 'job' ? line.job.run : line.run)
      return [{ type: 'open', epoch: this.#epoch } satisfies JournalLine, ...compacted.filter(isKept)]
    })
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

/** Close it after the server. */
export interface FolderQueue extends Queue {
  close(): Promise<void>
}

export interface OpenQueueOptions {
  /** Takes the folder from a server on another machine or in another container without waiting. */
  takeOver?: boolean | undefined
  /** Called once if that takes longer, with the folder's current owner. */
  notice?: ((text: string) => void) | undefined
  signal?: AbortSignal | undefined
  /** Such a server is considered gone after this many milliseconds without a renewal; 30 seconds by default. */
  leaseMs?: number | undefined
}

/**
 * Opens a folder's queue. If a server on another machine or in another container had it, its lock is watched. If that
 * server renews the lock, this rejects with `SERVER_LOCKED`. After 30 seconds without a renewal it is considered gone,
 * and this process takes over.
 */
export async function openQueue(folder: string, options: OpenQueueOptions = {}): Promise<FolderQueue> {
  makeFolders(folder, 0o700)
  const lock = await waitForLockFile(join(folder, lockName), { ...lockRules, ...options })
  if (typeof lock === 'string') throw lockedError(folder, lock)
  return new JournalQueue(folder, { lock })
}

const lockName = 'server.lock'
/** A server that loses its folder stops all of its runs. */
const lockRules = { replacesProcess: true }

function lockFolder(folder: string): LockFile {
  makeFolders(folder, 0o700)
  const lock = tryLockFile(join(folder, lockName), { ...lockRules, leaseMs: readLeaseMs(process.env) })
  if (typeof lock !== 'string') return lock
  throw lockedError(folder, lock)
}

function lockedError(folder: string, holder: string): ArgotError {
  const message = `Another server is using \`${folder}\`: ${holder}. Stop it, or give this one its own folder (\`--state\`).`
  return new ArgotError('SERVER_LOCKED', message)
}

function lockLostError(): ArgotError {
  return new ArgotError('SERVER_LOCK_LOST', 'Another server has taken over. Send the request there.')
}
