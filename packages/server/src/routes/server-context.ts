import type { Store } from '@argot/agent'
import type { DocumentSearch } from '@argot/agent/internal'
import type { DocumentIndex } from '../documents/document-index.ts'
import type { DocumentRemoval } from '../documents/document-removal.ts'
import type { ServedHistories } from '../documents/served-histories.ts'
import type { Limits } from '../guard/limits.ts'
import type { OpenStreams } from '../guard/open-streams.ts'
import type { ServerChanges } from '../runs/feed/changes.ts'
import type { Queue } from '../runs/queue/queue.ts'
import type { Relaxations } from '../runs/relaxations.ts'
import type { ServerRunOptions } from '../runs/runner.ts'
import type { Runs } from '../runs/runs.ts'
import type { ApprovalChecks } from './approval-checks.ts'
import type { KeyDesk } from './key-desk.ts'

export interface ServerContext {
  store: Store
  runs: Runs
  queue: Queue
  documents: DocumentIndex
  search: DocumentSearch
  removal: DocumentRemoval
  histories: ServedHistories
  checks: ApprovalChecks
  changes: ServerChanges
  streams: OpenStreams
  /** Undefined unless the server allows it. */
  relaxations: Relaxations | undefined
  limits: Limits
  token: string | undefined
  /** Undefined for a server that takes no keys. */
  keys: KeyDesk | undefined
  run: ServerRunOptions
  template(): Promise<string>
  isClosing(): boolean
  /** Aborted when the server closes. Streams end then. */
  closing: AbortSignal
  /**
   * Calls `leave` when the server closes, unless the returned function was called before. Cheap for thousands of
   * streams.
   */
  whenClosing(leave: () => void): () => void
  openapi(): Record<string, unknown>
  now(): number
}
