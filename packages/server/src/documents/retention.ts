import type { Store } from '@argot/agent'
import { pruneFolder } from '@argot/agent/internal'
import type { Queue } from '../runs/queue/queue.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MONTH_MS = 30 * DAY_MS

export interface RetentionOptions {
  store: Store
  queue: Queue
  /** How long the trash and the logs of ended runs are kept. Without it, forever. */
  retentionMs?: number | undefined
  now: () => number
  notice: (text: string) => void
}

/**
 * Forgets jobs from before a time whose documents no longer exist, even in the trash. Keeps younger ones: if a disk is
 * missing for a while, the server must not run a send again.
 */
async function forgetGone(store: Store, queue: Queue, before: number): Promise<void> {
  const paths = new Set(await store.documents.list())
  for (const { path } of await store.trash.list()) paths.add(path)
  await queue.forget(({ document, at }) => at < before && !paths.has(document))
}

/** Removes data that is older than the setting, now and once a day. Returns a function that stops this. */
export function keepRetention(options: RetentionOptions): () => void {
  let isOver = false
  const pass = async (): Promise<void> => {
    const { store, queue, retentionMs, now, notice } = options
    try {
      if (retentionMs !== undefined) {
        const options = { olderThanMs: retentionMs, now }
        const pruned = await (store.root === undefined ? store.prune?.(options) : pruneFolder(store.root, options))
        const { items, failures } = pruned ?? { items: [], failures: [] }
        if (items.length > 0) notice(`Removed ${items.length} items older than the retention time.`)
        for (const { path, message } of failures) notice(`\`${path}\` could not be pruned: ${message}`)
      }
      if (!isOver) await forgetGone(store, queue, now() - (retentionMs ?? MONTH_MS))
    } catch (error) {
      if (!isOver) notice(`Old items could not be removed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  void pass()
  const timer = options.retentionMs === undefined ? undefined : setInterval(() => void pass(), DAY_MS)
  timer?.unref()
  return () => {
    isOver = true
    clearInterval(timer)
  }
}
