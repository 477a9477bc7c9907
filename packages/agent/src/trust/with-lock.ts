import { readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { ArgotError } from 'argot'
import { codeOf } from '../words/code-of.ts'
import { quoted } from '../words/quoted.ts'

/** Longer than anybody needs for one small file. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 10

/**
 * Runs `work` while no other process and no other call runs its own with the same lock file. The lock of a process that
 * died on this machine is taken over; a lock that stays gives `SETTINGS_NOT_WRITTEN` after `patienceMs`.
 */
export async function withLock<T>(lock: string, work: () => Promise<T>, patienceMs: number = PATIENCE_MS): Promise<T> {
  await take(lock, patienceMs)
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function take(lock: string, patienceMs: number): Promise<void> {
  const end = performance.now() + patienceMs
  while (!(await create(lock))) {
    if (await isAbandoned(lock)) await takeAway(lock)
    if (performance.now() > end) {
      const message = `Another process holds ${quoted(lock)} and does not let go of it. If no Argot is running, remove that file.`
      throw new ArgotError('SETTINGS_NOT_WRITTEN', message)
    }
    await sleep(PAUSE_MS)
  }
}

/** False if somebody else has it. */
async function create(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, `${process.pid} ${hostname()}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Whether the process that holds the lock has died. A process of another machine cannot be looked up. */
async function isAbandoned(lock: string): Promise<boolean> {
  try {
    const [, pid, host] = /^(\d{1,10}) (.*)\n$/.exec(await readFile(lock, 'utf8')) ?? []
    if (pid === undefined || host !== hostname()) return false
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/**
 * Removes the lock of a dead process. Two that do it at once would have the second one remove the new lock of the first,
 * so whoever does it holds a lock of its own, and looks again.
 */
async function takeAway(lock: string): Promise<void> {
  const second = `${lock}.stale`
  if (!(await create(second))) return
  try {
    if (await isAbandoned(lock)) await rm(lock, { force: true })
  } finally {
    await rm(second, { force: true })
  }
}
