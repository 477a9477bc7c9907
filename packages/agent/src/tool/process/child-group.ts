import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { ToolFailure } from '../../words/tool-failure.ts'
import type { StartGate } from '../sandbox/start-gate.ts'
import { CALL_MARK, openTrace } from './end-strays.ts'
import { hideOwnKeys } from './hide-own-keys.ts'

export interface ChildOptions {
  /** The program's name in messages; by default, the first word of the command. */
  name?: string
  command: readonly [string, ...string[]]
  cwd: string
  env: Readonly<Record<string, string>>
  /** Lets the program start, if something must be checked first. */
  gate?: StartGate | undefined
}

export type Child = ChildProcessByStdio<Writable | null, Readable, Readable>

const TERM_MS = 2000
const POLL_MS = 25
const MESSAGE_CHARACTERS = 500

const hasGroups: boolean = process.platform !== 'win32'

/**
 * Starts a program without a shell in its own process group, marked so that `endStrays` finds the processes it starts.
 * The program can't read this process's keys from what the system shows about it. Resolves once the program runs, so
 * only a failed start throws.
 */
export async function startChild(options: ChildOptions, mark: string, stdin: 'ignore' | 'pipe'): Promise<Child> {
  hideOwnKeys()
  const { gate } = options
  const [program, ...stderr] = options.command
  const trace = openTrace(mark)
  let child: Child
  try {
    child = spawn(program, stderr, {
      // With a gate, the sandbox changes to the working directory, from inside.
      cwd: gate === undefined ? options.cwd : '/',
      env: { ...options.env, [CALL_MARK]: mark },
      stdio: [stdin, 'pipe', 'pipe', trace, ...(gate === undefined ? [] : (['pipe', 'pipe', 'pipe'] as const))],
      shell: false,
      detached: hasGroups,
      windowsHide: true,
    }) as Child
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      // Never removed: a failed kill must not crash this process.
      child.on('error', reject)
    })
  } catch (error) {
    throw await explainFailedStart(error, options)
  } finally {
    if (trace !== 'ignore') closeSync(trace)
  }
  await gate?.open(child).catch(error => explainClosedGate(error, child, options))
  return child
}

/** Ends a program that never started. */
async function explainClosedGate(error: unknown, child: Child, options: ChildOptions): Promise<never> {
  child.stdout.resume()
  const [stderr] = await Promise.all([text(child.stderr).catch(() => ''), endGroup(child)])
  for (const pipe of child.stdio) pipe?.destroy()
  const reason = stderr.trim().split('\n')[0] || (error instanceof Error ? error.message : String(error))
  const program = options.name ?? options.command[0]
  const message = `The command ${program} couldn't be started in the sandbox: ${reason.slice(0, MESSAGE_CHARACTERS)}`
  throw new ToolFailure('TOOL_COMMAND_NOT_STARTED', message, { cause: error })
}

async function explainFailedStart(error: unknown, options: ChildOptions): Promise<ToolFailure> {
  const program = options.name ?? options.command[0]
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT' && (await isFolder(options.cwd))) {
    const message = `The command ${program} was not found on this machine. Use another tool, or ask the user to install it.`
    return new ToolFailure('TOOL_COMMAND_NOT_FOUND', message, { cause: error })
  }
  const message = `The command ${program} couldn't be started: ${describeReason(code, error, options)}`
  return new ToolFailure('TOOL_COMMAND_NOT_STARTED', message, { cause: error })
}

function describeReason(code: string, error: unknown, options: ChildOptions): string {
  const { cwd, command } = options
  if (code === 'ENOENT' || code === 'ENOTDIR') return `its working directory ${cwd} does not exist.`
  if (code === 'EACCES' || code === 'EPERM') return "this user isn't allowed to execute it."
  if (code === 'ERR_INVALID_ARG_VALUE')
    return "an argument contains a NUL character, which can't be passed to a program."
  if (code !== 'E2BIG') return error instanceof Error ? `${error.message}.` : `${String(error)}.`
  const bytes = command.reduce((sum, one) => sum + Buffer.byteLength(one), 0)
  return `its ${command.length - 1} arguments are too long for this system (${bytes} bytes). Pass fewer in each call.`
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    stats => stats.isDirectory(),
    () => false,
  )
}

/** Ends what is left of the group: SIGTERM, then SIGKILL for processes that ignore it. */
export async function endGroup(child: Child): Promise<void> {
  if (!signalGroup(child, 'SIGTERM')) return
  const end = performance.now() + TERM_MS
  while (performance.now() < end) {
    await delay(POLL_MS)
    if (!signalGroup(child, 0)) return
  }
  signalGroup(child, 'SIGKILL')
}

/** False if no process of the group was left. */
function signalGroup(child: Child, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false
  if (!hasGroups) return child.exitCode === null && child.signalCode === null && child.kill(signal)
  try {
    return process.kill(-child.pid, signal)
  } catch {
    return false
  }
}
