import type { Message } from '@argot/core'

/** A requested run. */
export interface Job {
  /** The run's id, assigned when it is requested. */
  run: string
  /** The document's path in the store. */
  document: string
  /** Sends with the same key are the same send. */
  key?: string | undefined
  /** The hash of the request: the same key with another body is an error. */
  digest?: string | undefined
  /** The message to answer. Without it the document is answered unchanged, or its unfinished run continues. */
  input?: Message | undefined
  params?: Readonly<Record<string, string>> | undefined
  model?: string | undefined
  syntax?: string | undefined
  approve?: 'ask' | 'readonly' | 'none' | undefined
  /** When it was requested, in milliseconds. */
  at: number
}

/** How a job ended that left no log, or no finished log. */
export interface JobFailure {
  code: string
  message: string
  diagnostics?: readonly unknown[] | undefined
  /** It had started, and its input is stored: repeating the send doesn't start it again. */
  hasBegun?: true
}

/**
 * The requested runs that aren't over. A document's jobs are given out one at a time, in the order of arrival. A parked
 * job keeps the document's other jobs waiting. Accepted jobs survive the process: a job that was taken and not finished
 * is given out again by the next process. `testQueue` checks what every implementation promises.
 */
export interface Queue {
  /** Aborted when another process has the whole queue, and this one takes nothing more. */
  readonly lost?: AbortSignal | undefined
  /**
   * Accepts a job: it survives the process once this resolves. A job with a known key or run isn't added: this returns
   * the known job, which is no longer parked. A key whose job couldn't start is free again. A known run that is over
   * and is only woken, without a digest, keeps its original request.
   */
  enqueue(job: Job): Promise<{ queued: QueuedJob; isNew: boolean }>
  /**
   * Runs whose jobs other processes change or start. Undefined means that some may have been missed. Ends with the
   * signal. A queue of one process has no `watch`.
   */
  watch?(signal: AbortSignal): AsyncIterable<string | undefined>
  /** Waits for the next job whose document no other job holds. Undefined once the signal aborts. */
  take(signal: AbortSignal): Promise<Job | undefined>
  /** Keeps a taken job for this process. False once another process has it. */
  renew(run: string): Promise<boolean>
  /** A taken job waits until it is enqueued again. */
  park(run: string): Promise<void>
  /** Ends a job, even one that wasn't taken. Resolves when that survives the process. */
  finish(run: string, failure?: JobFailure): Promise<void>
  /** Forgets the finished jobs for which this is true. Once it resolves, nothing of them is stored anywhere. */
  forget(isErased: (job: Job) => boolean): Promise<void>
  /**
   * The job of a run or a key, including finished jobs unless they are old. Otherwise the jobs that aren't over, oldest
   * first.
   */
  list(filter?: JobFilter): Promise<QueuedJob[]>
}

/** At most one of them. */
export interface JobFilter {
  run?: string | undefined
  key?: string | undefined
  document?: string | undefined
}

export interface QueuedJob {
  job: Job
  state: 'waiting' | 'taken' | 'parked' | 'finished'
  failure?: JobFailure | undefined
}

/** A job that couldn't start may be sent again with its key, for example after the document was repaired. */
export function mayBeSentAgain({ failure }: QueuedJob): boolean {
  return failure !== undefined && failure.hasBegun !== true
}
