import { openSync, unlinkSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createWhole } from '../../files/write-all.ts'

/** Every process of a call inherits this variable. */
export const CALL_MARK = 'ARGOT_CALL'

/** The ended processes may have started others meanwhile. */
const ROUNDS = 10
const ROUND_MS = 20

/**
 * Ends the processes of a call that left its group (`setsid`, daemons): those with its mark in their environment or
 * among their open files. Linux only. A process that has dropped both is not found.
 */
export async function endStrays(mark: string): Promise<void> {
  if (process.platform !== 'linux') return
  // A process that starts another and exits can slip through one scan, so two in a row must find nothing.
  let quiet = 0
  for (let round = 0; round < ROUNDS && quiet < 2; round++) {
    const strays = await findStrays(mark)
    quiet = strays.length === 0 ? quiet + 1 : 0
    for (const pid of strays) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has already exited.
      }
    }
    if (quiet < 2) await delay(ROUND_MS)
  }
}

async function findStrays(mark: string): Promise<number[]> {
  const entry = `${CALL_MARK}=${mark}`
  const pids: number[] = []
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    if (environment.split('\0').includes(entry) || (await holdsTrace(pid, mark))) pids.push(pid)
  }
  return pids
}

async function holdsTrace(pid: number, mark: string): Promise<boolean> {
  const target = await readlink(`/proc/${pid}/fd/${TRACE_FD}`).catch(() => '')
  return target.includes(traceName(mark))
}

/** The first descriptor after the standard streams: it is inherited like those, whatever happens to the environment. */
const TRACE_FD = 3

function traceName(mark: string): string {
  return `argot-call-${mark}`
}

/**
 * Opens an empty file without a name on the disk. All processes of a call inherit it as a sign that they belong to the
 * call. Returns `ignore` on systems that can't search for it.
 */
export function openTrace(mark: string): number | 'ignore' {
  if (process.platform !== 'linux') return 'ignore'
  const path = join(tmpdir(), traceName(mark))
  try {
    createWhole(path, '', { mode: 0o600 })
    const trace = openSync(path, 'r')
    unlinkSync(path)
    return trace
  } catch {
    // The disk is full. Processes that drop their environment won't be found.
    return 'ignore'
  }
}
