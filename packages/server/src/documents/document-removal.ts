import { posix } from 'node:path'
import type { Store } from '@argot/agent'
import { type TrashedDocument, writeOrigin } from '@argot/agent/internal'
import { defined } from '@argot/core/stream/internal'
import { notFound, Problem } from '../guard/problem.ts'
import type { ServerChanges } from '../runs/feed/changes.ts'
import type { RunBook } from '../runs/live/run-book.ts'
import type { Queue } from '../runs/queue/queue.ts'
import type { Runs } from '../runs/runs.ts'
import type { DocumentIndex } from './document-index.ts'

export interface RemovalContext {
  store: Store
  queue: Queue
  book: RunBook
  runs: Runs
  changes: ServerChanges
  documents: DocumentIndex
}

export class DocumentRemoval {
  readonly #context: RemovalContext

  constructor(context: RemovalContext) {
    this.#context = context
  }

  /** Moves a document to the trash. Throws `SERVER_BUSY` while one of its runs is working or queued. */
  async remove(path: string): Promise<TrashedDocument> {
    const { store } = this.#context
    return this.#whileFree(path, lease => store.documents.remove(path, lease))
  }

  /**
   * Renames a document with everything that belongs to it, including a run that waits for an answer. Throws
   * `SERVER_BUSY` like `remove`, and `RUN_OUTPUT_EXISTS` if another document has the new path.
   */
  async rename(path: string, to: string): Promise<void> {
    const { store, documents, runs } = this.#context
    const branches = posix.dirname(path) === posix.dirname(to) ? documents.listBranches(path) : []
    await this.#whileFree(path, lease => store.documents.rename(path, to, lease))
    this.#tell(to)
    await runs.wakeRenamed(to)
    // This only matters for lists: after a crash before this, or if a branch is running, it keeps the old name.
    for (const branch of branches) {
      await writeOrigin(store, branch.path, { ...branch.origin, of: posix.basename(to) })
      documents.forget(branch.path)
      this.#tell(branch.path)
    }
  }

  /** Erases a document and its journal entries. If it doesn't exist, erases those with its path from the trash. */
  async erase(path: string, exists: boolean): Promise<void> {
    const { store, queue, runs } = this.#context
    const erasedRuns = new Set<string>()
    if (exists) {
      await this.#whileFree(path, async lease => {
        for (const { run } of await store.logs.list({ path })) erasedRuns.add(run)
        await store.documents.erase(path, lease)
      })
    } else {
      const trashed = await store.trash.list(path)
      if (trashed.length === 0) throw notFound(`document \`${path.slice(0, 200)}\``)
      for (const one of trashed) await store.trash.erase(one)
    }
    // Jobs from before a rename have the earlier path.
    await runs.alone(path, () => queue.forget(({ run, document }) => document === path || erasedRuns.has(run)))
  }

  /** Restores the one with this id, otherwise the one that was removed last. */
  async restore(path: string, id: string | undefined): Promise<void> {
    const { store, runs } = this.#context
    const trashed = await store.trash.list(path)
    const entry = id === undefined ? trashed.at(-1) : trashed.find(one => one.id === id)
    if (entry === undefined) throw notFound(`document \`${path.slice(0, 200)}\` in the trash`)
    await runs.alone(path, () => store.trash.restore(entry))
    this.#tell(path)
  }

  async #whileFree<Value>(
    path: string,
    work: (lease: Awaited<ReturnType<Store['leases']['take']>>) => Promise<Value>,
  ): Promise<Value> {
    const { store, queue, book, runs, changes } = this.#context
    await runs.afterEnding(path)
    await runs.afterAsking(path)
    return runs.move(path, async () => {
      const jobs = await queue.list({ document: path })
      const busy = jobs.find(({ state }) => state !== 'parked')
      if (busy !== undefined) throw busyProblem(path, busy.job.run)
      const lease = await store.leases.take(path)
      try {
        const logs = await store.logs.list({ path })
        const value = await work(lease)
        const ids = logs.map(({ run }) => run)
        runs.close(ids)
        for (const { job } of jobs) await book.finish(job)
        // Pages find the document's new path by its run. A folder's watcher can miss a file in a new folder.
        const newest = ids.sort().at(-1)
        for (const { run, state } of logs) if (state !== 'ended' || run === newest) changes.tell({ type: 'run', run })
        return value
      } finally {
        await lease.release()
        this.#tell(path)
      }
    })
  }

  #tell(path: string): void {
    this.#context.changes.tell({ type: 'document', path })
  }
}

function busyProblem(path: string, run: string): Problem {
  const message = `\`${path.slice(0, 200)}\` is running. Stop the run first, or wait until it ends.`
  return new Problem(409, 'SERVER_BUSY', message, { more: defined({ run }) })
}
