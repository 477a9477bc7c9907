import type { Chunk } from '@argot/core'
import type { QueuedJob } from '../queue/queue.ts'
import { type FeedLine, feedLine } from './run-feed.ts'

/** A run that couldn't start has no log. Its readers still get the reason. */
export function failedLines({ job, failure }: QueuedJob, from: number): FeedLine[] {
  const messageId = `msg-${job.run}`
  const ending: Chunk[] =
    failure === undefined
      ? [{ type: 'abort' }]
      : [
          { type: 'error', errorText: failure.message },
          { type: 'finish', messageId, finishReason: 'error' },
        ]
  const chunks: Chunk[] = [{ type: 'start', messageId }, ...ending]
  return chunks.map((chunk, o) => feedLine(o, job.at, chunk)).filter(({ o }) => o >= from)
}
