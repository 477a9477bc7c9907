import { openSync, unlinkSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createWhole } from '../../files/write-all.ts'

/** The variable that every process of a call inherits. */
export const CALL_MARK = 'ARGOT_CALL'

/** Those that are ended may have started others meanwhile. */
const ROUNDS = 10
const ROUND_MS = 20

/**
 * Ends the processes of a call that left its group (`setsid`, daemons): those that have its mark in their environment
 * or among their open files. Works on Linux; one that has dropped both is not found.
 */
export async function endStrays(mark: string): Promise<void> {
  if (process.platform !== 'linux') return
  // One that starts another and ends itself can slip through one look, so two in a row must find nothing.
  let quiet = 0
  for (let round = 0; round < ROUNDS && quiet < 2; round++) {
    const strays = await findStrays(mark)
    quiet = strays.length === 0 ? quiet + 1 : 0
    for (const pid of strays) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended by itself.
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

/** The first number after the standard streams: it is inherited like those, whatever becomes of the environment. */
const TRACE_FD = 3

function traceName(mark: string): string {
  return `argot-call-${mark}`
}

/**
 * An open, empty file without a place on the disk, to be inherited by all processes of a call as a sign that they belong
 * to it. `ignore` on systems where nobody could look for it.
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
    // A full disk: what drops its environment is not found then.
    return 'ignore'
  }
}
