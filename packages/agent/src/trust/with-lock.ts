import { ArgotError } from '@argot/core'
import { type LockFile, takeLockFile } from '../store/folder/lock-file.ts'
import { quoted } from '../words/quoted.ts'

/** Longer than one small file ever needs. */
const PATIENCE_MS = 10_000
/** Held for milliseconds, so a lock from another container that stays this long was left by a dead process. */
const LEASE_MS = 5000

/**
 * Runs `work` while no other process and no other call uses the same lock file. Takes over the lock of a dead process.
 * Throws `SETTINGS_NOT_WRITTEN` if the lock is still held after `patienceMs`.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, patienceMs: number = PATIENCE_MS): Promise<T> {
  const lock = await take(path, patienceMs)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

async function take(path: string, patienceMs: number): Promise<LockFile> {
  const signal = AbortSignal.timeout(patienceMs)
  try {
    return await takeLockFile(path, { wait: true, signal, leaseMs: LEASE_MS })
  } catch (error) {
    if (error !== signal.reason) throw error
    const message = `Another process holds ${quoted(path)} and hasn't released it. If no other Argot process is running, remove that file.`
    throw new ArgotError('SETTINGS_NOT_WRITTEN', message)
  }
}
