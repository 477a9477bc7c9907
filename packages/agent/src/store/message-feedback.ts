import { ArgotError } from '@argot/core'
import { parseChatMd } from '@argot/core/chatmd'
import { entryOwners, withRecords } from '@argot/core/chatmd/internal'
import { defined, isRecord } from '@argot/core/stream/internal'
import { appendRecord } from './append-record.ts'
import { toRecords } from './element-records.ts'
import { matchDocument } from './match-document.ts'
import type { Sidecar, Store } from './store.ts'

/*
 * Feedback on an answer is a signed record in the sidecar:
 *
 *     { "feedback": { "message": "…", "value": "good", "reason": "…", "at": 1763470000000 } }
 *
 * The newest record of a message applies, and `none` removes the feedback. It is for people only: models never receive
 * it.
 */

export interface MessageFeedback {
  value: 'good' | 'bad'
  reason?: string
  /** In milliseconds. */
  at: number
}

export const FEEDBACK_REASON_LENGTH = 2000
/** Each change of mind adds a record. */
const MOST_RECORDS = 5000

/** By message id. Skips unsigned records: anyone may have written them. */
export function readFeedback({ records }: Pick<Sidecar, 'records'>): Map<string, MessageFeedback> {
  const feedback = new Map<string, MessageFeedback>()
  for (const { value: record, isSigned } of records) {
    if (!isSigned || !isRecord(record) || !isRecord(record.feedback)) continue
    const { message, value, reason, at } = record.feedback
    if (typeof message !== 'string') continue
    if (value === 'good' || value === 'bad') {
      const words = typeof reason === 'string' ? reason.slice(0, FEEDBACK_REASON_LENGTH) : undefined
      feedback.set(message, { value, at: typeof at === 'number' ? at : 0, ...defined({ reason: words }) })
    } else feedback.delete(message)
  }
  return feedback
}

export interface FeedbackInput {
  message: string
  /** `none` removes earlier feedback. */
  value: 'good' | 'bad' | 'none'
  reason?: string | undefined
}

/**
 * Saves feedback on an answer in the sidecar. Repeating the same feedback changes nothing. Throws
 * `RUN_MESSAGE_NOT_FOUND` if the message isn't an answer in this document, and `RUN_LOCKED` if another process holds it
 * for more than `waitMs`.
 */
export async function writeFeedback(
  store: Store,
  path: string,
  { message, value, reason }: FeedbackInput,
  { now = Date.now, waitMs = 2000 }: { now?: () => number; waitMs?: number } = {},
): Promise<void> {
  const choose = async (sidecar: Sidecar): Promise<unknown> => {
    await requireAnswer(store, path, message, sidecar)
    const before = readFeedback(sidecar).get(message)
    if ((before?.value ?? 'none') === value && before?.reason === (value === 'none' ? undefined : reason))
      return undefined
    if (sidecar.records.filter(({ value }) => isRecord(value) && 'feedback' in value).length >= MOST_RECORDS) {
      const text = `The document already has ${MOST_RECORDS} feedback records, so no more can be saved.`
      throw new ArgotError('RUN_NOT_SAVED', text)
    }
    return { feedback: { message, value, ...defined({ reason: value === 'none' ? undefined : reason }), at: now() } }
  }
  await appendRecord(store, path, choose, { lock: { wait: true, waitMs } })
}

async function requireAnswer(store: Store, path: string, id: string, sidecar: Sidecar): Promise<void> {
  const { text } = await store.documents.read(path)
  const { document } = parseChatMd(text, { file: path })
  const { entries } = withRecords(document, matchDocument(document.tree, toRecords(sidecar)))
  const owners = entryOwners(entries)
  const isAnswer = entries.some(
    (entry, index) => owners[index]?.message.id === id && !(entry.type === 'message' && entry.role !== 'assistant'),
  )
  if (isAnswer) return
  throw new ArgotError('RUN_MESSAGE_NOT_FOUND', `No answer in \`${path}\` has the id \`${id.slice(0, 200)}\`.`)
}
