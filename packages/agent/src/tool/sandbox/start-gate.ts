import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

/** The descriptors after the standard streams and the call's trace. */
const [STATUS_FD, BLOCK_FD, ARGUMENTS_FD] = [4, 5, 6] as const
const POLL_MS = 1
/** A sandbox that takes longer to create doesn't work. */
const READY_MS = 10_000
/** A check of the mounts may coincide with a rename, so only a problem that stays counts. */
const MOST_CHECKS = 3

/** The first arguments of `bwrap`: it reads the others from a descriptor, reports its status, and waits. */
export const gateArguments: readonly string[] = [
  ...['--json-status-fd', `${STATUS_FD}`, '--block-fd', `${BLOCK_FD}`, '--args', `${ARGUMENTS_FD}`],
]

/** The sandbox came out wrong. The program hasn't started. */
export class ClosedGate extends Error {}

/** `bwrap` mounts everything and waits. The program starts only after the mounts were checked from outside. */
export class StartGate {
  readonly #bwrapArguments: readonly string[]
  readonly #findProblem: (pid: number) => Promise<string | undefined>
  #status = ''
  #ended: Promise<void> = Promise.resolve()

  constructor(bwrapArguments: readonly string[], findProblem: (pid: number) => Promise<string | undefined>) {
    this.#bwrapArguments = bwrapArguments
    this.#findProblem = findProblem
  }

  /** Lets a program start that was spawned with pipes at 4, 5 and 6. Throws a `ClosedGate` if it must not start. */
  async open(child: ChildProcess): Promise<void> {
    const pipes: readonly unknown[] = child.stdio
    const status = pipes[STATUS_FD] as Readable
    const block = pipes[BLOCK_FD] as Writable
    const list = pipes[ARGUMENTS_FD] as Writable
    // If `bwrap` has exited, it reads nothing. Its exit is noticed below.
    for (const one of [block, list, status]) one.on('error', () => {})
    status.setEncoding('utf8').on('data', (text: string) => {
      this.#status += text
    })
    this.#ended = new Promise(resolve => status.once('close', resolve))
    list.end(this.#bwrapArguments.map(one => `${one}\0`).join(''))
    try {
      await this.#waitForCheck(child)
    } catch (error) {
      // Kill it before its descriptor is closed, which would let it continue.
      child.kill('SIGKILL')
      child.once('exit', () => block.destroy())
      throw error
    }
    block.end('.')
  }

  /**
   * Whether `bwrap` has reported the program's exit status, which it does only if it could execute the program. Call it
   * after the process has ended. Waits up to 10 s for the report.
   */
  async hasReportedExit(): Promise<boolean> {
    await Promise.race([this.#ended, delay(READY_MS, undefined, { ref: false })])
    return this.#status.includes('"exit-code"')
  }

  async #waitForCheck(child: ChildProcess): Promise<void> {
    const end = performance.now() + READY_MS
    let problem: string | undefined = 'it took too long'
    for (let checks = 0; checks < MOST_CHECKS && performance.now() < end; await delay(POLL_MS)) {
      if (child.exitCode !== null || child.signalCode !== null) throw new ClosedGate('it ended')
      const pid = Number(/"child-pid": (\d+)/.exec(this.#status)?.[1])
      if (!(pid > 0) || !(await isReady(pid))) continue
      problem = await this.#findProblem(pid)
      if (problem === undefined) return
      checks++
    }
    throw new ClosedGate(problem)
  }
}

/** Whether the process has dropped its privileges, which `bwrap` does when everything is mounted. */
async function isReady(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return /^CapEff:\s*0+$/m.test(status) && /^NoNewPrivs:\s*1$/m.test(status)
}
