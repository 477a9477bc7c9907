import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ArgotError } from '@argot/core'
import { JournalQueue } from '../runs/queue/journal-queue.ts'

/**
 * Removes erased documents from the journal of a stopped server. False while a server is running: it has to do that
 * itself.
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
    // A server that stopped before recording a run's end left its job open. No process can run it any more.
    for (const { job } of await queue.list()) if (erased.has(job.document)) await queue.finish(job.run)
    await queue.forget(({ document }) => erased.has(document))
  } finally {
    await queue.close()
  }
  return true
}
