/** Only for packages in this repository: these names change without notice. */
export { forgetErased } from './documents/forget-erased.ts'
export { documentPath, isDocument, realDocument } from './guard/document-path.ts'
export { guardRequests } from './guard/guard-requests.ts'
export { Problem, tooMany } from './guard/problem.ts'
export type { Listening } from './listen.ts'
export { type Job, type JobFailure, type JobFilter, mayBeSentAgain, type QueuedJob } from './runs/queue/queue.ts'
