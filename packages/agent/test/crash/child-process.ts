import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'

/** How a process ended: by itself, or by a signal. */
export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
  stderr: string
  /** How many operations on the disk it had time for, where it was told to say. */
  ticks: number
}

export interface ChildOptions {
  env: Readonly<Record<string, string>>
  /** Kills it behind so many operations on the disk. */
  killBehind?: number
}

/** Starts a program in a process of its own. */
export type StartChild = (options: ChildOptions) => Promise<Ending>

/** Bundles the program, the run of `child.ts` by default, so that a process starts in a tenth of a second. */
export function buildChild(name = 'child.ts'): StartChild {
  const [program] = bundlePrograms([join(import.meta.dirname, name)])
  return options => start(program!, options)
}

function start(program: string, { env, killBehind }: ChildOptions): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH ?? '', ...env, ...(killBehind === undefined ? {} : { TICK: '1' }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let ticks = 0
    let stderr = ''
    child.stdout.on('data', (bytes: Buffer) => {
      ticks += bytes.length
      if (killBehind !== undefined && ticks >= killBehind) child.kill('SIGKILL')
    })
    child.stderr.on('data', (bytes: Buffer) => {
      stderr += bytes.toString()
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stderr, ticks }))
  })
}
