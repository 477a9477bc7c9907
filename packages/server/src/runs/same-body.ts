import { Problem } from '../guard/problem.ts'
import type { QueuedJob } from './queue/queue.ts'

/** The run of a send that is repeated. Throws where something else is sent under the same key. */
export function sameBody({ job }: QueuedJob, digest: string): string {
  if (job.digest === digest) return job.run
  throw new Problem(409, 'SERVER_KEY_REUSED', 'This idempotency key was used before with another request.', {
    more: { run: job.run },
  })
}
