import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '../../../test/bundle-programs.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const bin = join(root, 'packages/cli/src/bin.ts')

/** `argot run` on a script in place of a model: see `scripted-run.ts`. */
export const scripted: string = join(root, 'packages/cli/test/scripted-argot.ts')

export interface Result {
  status: number
  stdout: string
  stderr: string
}

export interface ArgotOptions {
  input?: string
  cwd?: string
  env?: Record<string, string>
  /** The program to start, `argot` itself by default. */
  program?: string
  /** Called with all output so far whenever there is more. */
  onOutput?: (child: ChildProcess, output: string) => void
  /** Called when the program has been started. */
  onStart?: (child: ChildProcess) => void
}

/** Programs that this test file has started. */
const bundles = new Map<string, string>()

function bundleOf(program: string): string {
  const known = bundles.get(program)
  if (known !== undefined) return known
  const [path] = bundlePrograms([program])
  bundles.set(program, path!)
  return path!
}

/** What to start for the real command in a process of its own. */
export function commandLine(args: readonly string[], program: string = bin): [string, ...string[]] {
  return [process.execPath, bundleOf(program), ...args]
}

/** Runs the real command in a process of its own. */
export function argot(args: readonly string[], options: ArgotOptions = {}): Promise<Result> {
  const [, program, ...rest] = commandLine(args, options.program)
  return start(program!, rest, options)
}

/** Runs a program of Node in a process of its own. */
export function start(program: string, args: readonly string[], options: ArgotOptions = {}): Promise<Result> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: options.cwd ?? root,
    env: { PATH: process.env.PATH ?? '', ...options.env },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
    options.onOutput?.(child, stdout + stderr)
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
    options.onOutput?.(child, stdout + stderr)
  })
  child.stdin.on('error', () => {})
  options.onStart?.(child)
  child.stdin.end(options.input ?? '')
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', status => resolve({ status: status ?? -1, stdout, stderr }))
  })
}

/** A fresh folder with these files. */
export async function folderWith(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-cli-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}
