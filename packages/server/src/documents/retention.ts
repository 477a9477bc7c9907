import type { Store } from '@argot/agent'
import { pruneFolder } from '@argot/agent/internal'
import type { Queue } from '../runs/queue/queue.ts'

/** How often a server looks for what is old. */
const DAY_MS = 24 * 60 * 60 * 1000
const MONTH_MS = 30 * DAY_MS

export interface RetentionOptions {
  store: Store
  queue: Queue
  /** How long what is in the trash is kept, and the logs of runs that ended; for ever where it is left out. */
  retentionMs?: number | undefined
  now: () => number
  notice: (text: string) => void
}

/**
 * Forgets jobs from before a time whose documents are gone, also from the trash. Not younger ones: a disk that is not
 * there for a while must not make the server run a send again.
 */
async function forgetGone(store: Store, queue: Queue, before: number): Promise<void> {
  const paths = new Set(await store.documents.list())
  for (const { path } of await store.trash.list()) paths.add(path)
  await queue.forget(({ document, at }) => at < before && !paths.has(document))
}

/** Removes what is older than the setting says: now, and once a day. Gives what ends that. */
export function keepRetention(options: RetentionOptions): () => void {
  let isOver = false
  const pass = async (): Promise<void> => {
    const { store, queue, retentionMs, now, notice } = options
    try {
      if (retentionMs !== undefined) {
        const options = { olderThanMs: retentionMs, now }
        const pruned = await (store.root === undefined ? store.prune?.(options) : pruneFolder(store.root, options))
        const { items, failures } = pruned ?? { items: [], failures: [] }
        if (items.length > 0) notice(`Removed ${items.length} things that were older than the retention time.`)
        for (const { path, message } of failures) notice(`\`${path}\` could not be pruned: ${message}`)
      }
      if (!isOver) await forgetGone(store, queue, now() - (retentionMs ?? MONTH_MS))
    } catch (error) {
      if (!isOver) notice(`What is old could not be removed: ${error instanceof Error ? error.message : String(error)}`)
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
