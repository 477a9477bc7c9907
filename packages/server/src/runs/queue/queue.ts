import type { Message } from '@argot/core'

/** A run that somebody asked for. */
export interface Job {
  /** The id of the run, known from the moment at which it is asked for. */
  run: string
  /** The path of its document in the store. */
  document: string
  /** What makes two sends the same one. */
  key?: string | undefined
  /** The hash of what was sent: the same key with another body is a mistake. */
  digest?: string | undefined
  /** The message to be answered; without it the document is answered as it is, or its unfinished run continued. */
  input?: Message | undefined
  /** The values of the parameters of the document. */
  params?: Readonly<Record<string, string>> | undefined
  model?: string | undefined
  syntax?: string | undefined
  approve?: 'ask' | 'readonly' | 'none' | undefined
  /** When it was asked for, in milliseconds. */
  at: number
}

/** How a job ended that left no log, or none that has ended. */
export interface JobFailure {
  code: string
  message: string
  diagnostics?: readonly unknown[] | undefined
  /** It had begun, and what was sent is kept: the same send does not begin it again. */
  hasBegun?: true
}

/**
 * The runs that were asked for and are not over. Jobs of one document are given out one at a time, in the order in which they
 * came; one that is parked keeps the others of its document waiting. What was accepted is not lost with the process: a job
 * that was taken and not finished is given out again by the next one. `testQueue` holds what every implementation promises.
 */
export interface Queue {
  /** Aborted when another process has the whole queue, and this one takes nothing more. */
  readonly lost?: AbortSignal | undefined
  /**
   * Accepts a job: it survives the process once this resolves. One with a known key, or a known run, is not added: the
   * known one is given, and is no longer parked. A key whose job could not begin is free again. A known run that is over
   * and is only woken, without a digest, keeps what was asked for.
   */
  enqueue(job: Job): Promise<{ queued: QueuedJob; isNew: boolean }>
  /**
   * The runs whose jobs other processes change, and those that begin there; undefined where some may have been missed. Ends
   * with the signal. A queue of one process has none.
   */
  watch?(signal: AbortSignal): AsyncIterable<string | undefined>
  /** The next job whose document no other has; waits for one. Undefined once the signal is aborted. */
  take(signal: AbortSignal): Promise<Job | undefined>
  /** Keeps a taken job for this process. False once another has it. */
  renew(run: string): Promise<boolean>
  /** A taken job waits until it is enqueued again. */
  park(run: string): Promise<void>
  /** The job is over, also one that was not taken. Resolves when that survives the process. */
  finish(run: string, failure?: JobFailure): Promise<void>
  /** Forgets the jobs that are over and for which this is true: once it resolves, nothing of them is kept anywhere. */
  forget(isErased: (job: Job) => boolean): Promise<void>
  /** The job of a run or of a key, also one that is over unless that is long ago; else the jobs that are not over, oldest first. */
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

/** What could not begin may be sent again with its key, once the document was repaired for example. */
export function mayBeSentAgain({ failure }: QueuedJob): boolean {
  return failure !== undefined && failure.hasBegun !== true
}
