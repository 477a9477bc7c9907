import { messageInPost } from '@argot/agent/internal'
import { defined } from '@argot/core/stream/internal'
import type { RunBook } from './live/run-book.ts'
import type { Job } from './queue/queue.ts'
import { formatSendKey } from './queue/send-key.ts'

/**
 * Answers messages that a run ended without taking. Each gets its own run, in order. Doing it twice changes nothing,
 * because each has its key. Returns the last of these runs.
 */
export async function forwardMessages(book: RunBook, job: Job, context: ForwardContext): Promise<string | undefined> {
  const live = await book.find(job.run)
  let last: string | undefined
  for (const post of (await live?.listUntakenMessages()) ?? []) {
    const input = messageInPost(post)
    if (input === undefined) continue
    const { params, model, syntax, approve } = job
    const { key = formatSendKey('runs', job.document, { message: input.id }), digest } = post
    const document = live?.path ?? job.document
    const settings = defined({ digest, params, model, syntax, approve })
    const { queued } = await book.enqueue({ run: context.next(), document, at: context.now(), key, input, ...settings })
    last = queued.job.run
  }
  return last
}

export interface ForwardContext {
  next(): string
  now(): number
}
