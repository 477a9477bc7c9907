import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ArgotError } from '@argot/core'
import { JournalQueue } from '../runs/queue/journal-queue.ts'

/**
 * Takes erased documents out of the journal of a server that does not run. False while one runs: it has to do that itself.
 */
export async function forgetErased(stateFolder: string, paths: readonly string[]): Promise<boolean> {
  if (paths.length === 0 || !existsSync(join(stateFolder, 'runs.jsonl'))) return true
  let queue: JournalQueue
  try {
    queue = new JournalQueue(stateFolder)
  } catch (error) {
    if (error instanceof ArgotError && error.code === 'SERVER_LOCKED') return false
    throw error
  }
  try {
    const erased = new Set(paths)
    // A server that left before it had noted the end of a run left its job open. Nobody can run that any more.
    for (const { job } of await queue.list()) if (erased.has(job.document)) await queue.finish(job.run)
    await queue.forget(({ document }) => erased.has(document))
  } finally {
    await queue.close()
  }
  return true
}
