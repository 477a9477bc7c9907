import type { Message } from 'argot'
import type { Job } from './queue/queue.ts'

/** What somebody wants to have run. */
export interface Send {
  document: string
  input?: Message | undefined
  /** What makes a repeated send the same one. */
  key?: string | undefined
  /** Everything that was sent: the same key with something else is refused. */
  body: unknown
  /** Who sends it. */
  by: string
  mode: 'queue' | 'reject'
  params?: Job['params']
  model?: string | undefined
  syntax?: string | undefined
  approve?: Job['approve']
}
