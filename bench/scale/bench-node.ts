import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A node in a process of its own. */
export class BenchNode {
  readonly child: ChildProcess
  readonly address: Promise<string>

  constructor(env: Readonly<Record<string, string>>, program: 'node.ts' | 'peer-node.ts' = 'node.ts') {
    const args = ['--import', 'tsx', '--conditions=@argot/source', join(import.meta.dirname, program)]
    this.child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.address = new Promise((resolve, reject) => {
      this.child.stdout!.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()))
      this.child.once('exit', code => reject(new Error(`A node ended: ${code}`)))
    })
    this.address.catch(() => {})
  }

  get pid(): number {
    return this.child.pid!
  }

  end(): void {
    this.child.kill('SIGKILL')
  }
}

/** Seconds of CPU that processes have used, with those of children that have ended; Linux counts in hundredths. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = statFields(pid)
    return sum + [11, 12, 13, 14].reduce((ticks, index) => ticks + Number(fields?.[index] ?? 0), 0) / 100
  }, 0)
}

/** A process and its children: a database is one process per connection. */
export function family(parent: number): number[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return [parent, ...pids.map(Number).filter(pid => Number(statFields(pid)?.[1]) === parent)]
}

function statFields(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /, '')
      .split(' ')
  } catch {
    return undefined
  }
}
