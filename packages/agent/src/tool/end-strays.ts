import { readlinkSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** The variable that every process of a call inherits. */
export const CALL_MARK = 'ARGOT_CALL'

/** Those that are ended may have started others meanwhile. */
const ROUNDS = 5
const ROUND_MS = 20

/** What shows that a process belongs to a call. */
export interface CallTraces {
  /** The value of `ARGOT_CALL`. */
  mark: string
  /** The pipes that its output goes to, as `/proc` names them. */
  pipes: ReadonlySet<string>
}

/**
 * Ends the processes of a call that left its group (`setsid`, daemons): those that have its mark, or that hold its output
 * open. Works on Linux; one that has dropped both is not found.
 */
export async function endStrays(traces: CallTraces): Promise<void> {
  if (process.platform !== 'linux') return
  for (let round = 0; round < ROUNDS; round++) {
    const strays = await findStrays(traces)
    if (strays.length === 0) return
    for (const pid of strays) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
    }
    await delay(ROUND_MS)
  }
}

async function findStrays({ mark, pipes }: CallTraces): Promise<number[]> {
  const entry = `${CALL_MARK}=${mark}`
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    if (environment.split('\0').includes(entry) || (await holds(pid, pipes))) found.push(pid)
  }
  return found
}

async function holds(pid: number, pipes: ReadonlySet<string>): Promise<boolean> {
  const targets = await Promise.all(['1', '2'].map(fd => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
  return targets.some(target => pipes.has(target))
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** The pipes that are the output of a process, as `/proc` names them. */
export function outputPipes(pid: number | undefined): Set<string> {
  if (process.platform !== 'linux' || pid === undefined) return new Set()
  const targets = ['1', '2'].map(fd => linkTarget(`/proc/${pid}/fd/${fd}`))
  // Node gives a program sockets or pipes; both have a number that is used once.
  return new Set(targets.filter(target => /^(?:socket|pipe):\[\d+\]$/.test(target)))
}
