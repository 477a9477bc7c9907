import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll } from 'vitest'

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

/** Starts the run of `child.ts` in a process of its own. */
export type StartChild = (options: ChildOptions) => Promise<Ending>

/** Makes one file of the program, so that a process starts in a tenth of a second; it goes when the tests are over. */
export async function buildChild(): Promise<StartChild> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-crash-child-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const program = join(folder, 'child.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('child.ts', import.meta.url))],
    outfile: program,
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'error' },
    conditions: ['@argot/source'],
    // For packages that are not written as modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
    // The packages of the providers are large, and no run here asks for them.
    external: ['openai', 'anthropic', 'google', 'openai-compatible'].map(name => `@ai-sdk/${name}`),
  })
  return options => start(program, options)
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
