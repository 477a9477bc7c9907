/** For the packages of this repository alone: names here change without notice. */
export { forgetErased } from './documents/forget-erased.ts'
export type { Listening } from './listen.ts'
export { type Job, type JobFailure, type JobFilter, mayBeSentAgain, type QueuedJob } from './runs/queue/queue.ts'
