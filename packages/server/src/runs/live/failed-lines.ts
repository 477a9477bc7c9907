import type { Chunk } from '@argot/core'
import type { QueuedJob } from '../queue/queue.ts'
import { type FeedLine, feedLine } from './run-feed.ts'

/** A run that could not begin has no log; whoever reads it is told why all the same. */
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
