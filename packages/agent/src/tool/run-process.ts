import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { ToolFailure } from '../words/tool-failure.ts'
import { CALL_MARK, endStrays, openTrace } from './end-strays.ts'
import { hideOwnKeys } from './hide-own-keys.ts'
import { type FindSpans, ProcessOutput } from './process-output.ts'

export interface ProcessOptions {
  /** What the program is called in messages; the first word of the command where it is left out. */
  name?: string
  /** A program and its arguments. */
  command: readonly [string, ...string[]]
  cwd: string
  env: Readonly<Record<string, string>>
  timeoutMs: number
  /** How many bytes of output are kept; three quarters of them are for stdout. */
  outputLimit: number
  signal?: AbortSignal
  /** Finds the secrets in a text, so that no cut goes through one. */
  findSecrets?: FindSpans | undefined
  /** Gets the end of the output so far, at most once a second. */
  preview?: (text: string) => void
}

export interface ProcessResult {
  /** Why it ended: by itself, or because it was ended. */
  ended: 'exit' | 'timeout' | 'abort'
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: ProcessOutput
  stderr: ProcessOutput
  ms: number
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/** How long a process group may take to end after SIGTERM. */
const TERM_MS = 2000
/** After the exit, how long the pipes may be silent, and how long they may go on, before they are left. */
const SILENCE_MS = 250
const PIPES_MS = 2000
const POLL_MS = 25
/** A timer that is longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
const PREVIEW_MS = 1000
const PREVIEW_BYTES = 2048

const hasGroups: boolean = process.platform !== 'win32'

/**
 * Runs a program without a shell, in a process group of its own and without an input. When this returns, nothing that
 * belongs to the group runs any more, nor, on Linux, what has left it, whether the program ended, took too long or was
 * stopped. The program cannot read the keys of this process from what the system shows of it.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  options.signal?.throwIfAborted()
  hideOwnKeys()
  const mark = randomBytes(16).toString('hex')
  const started = performance.now()
  const stdout = new ProcessOutput(Math.ceil(options.outputLimit * 0.75), options.findSecrets)
  const stderr = new ProcessOutput(Math.floor(options.outputLimit * 0.25), options.findSecrets)
  const child = await start({ ...options, env: { ...options.env, [CALL_MARK]: mark } }, mark)
  child.stdout.on('data', (piece: Buffer) => stdout.push(piece))
  child.stderr.on('data', (piece: Buffer) => stderr.push(piece))
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  const stopShowing = show(options, stdout, stderr)
  try {
    const ended = await waitForExit(child, options)
    if (ended === 'exit') await waitForPipes(closed, () => stdout.bytes + stderr.bytes)
    await endGroup(child)
    await endStrays(mark)
    if (ended !== 'exit') await Promise.race([closed, delay(SILENCE_MS)])
    const { exitCode, signalCode } = child
    return { ended, exitCode, signal: signalCode, stdout, stderr, ms: Math.round(performance.now() - started) }
  } finally {
    stopShowing()
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

/** Resolves once the program runs, so that a failed start is the only thing that throws. */
async function start(options: ProcessOptions, mark: string): Promise<Child> {
  const [program, ...words] = options.command
  const trace = openTrace(mark)
  try {
    const child = spawn(program, words, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe', trace],
      shell: false,
      detached: hasGroups,
      windowsHide: true,
    }) as Child
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      // Stays for good: an error of a kill must not end this process.
      child.on('error', reject)
    })
    return child
  } catch (error) {
    throw await explainFailedStart(error, options)
  } finally {
    if (trace !== 'ignore') closeSync(trace)
  }
}

async function explainFailedStart(error: unknown, options: ProcessOptions): Promise<ToolFailure> {
  const program = options.name ?? options.command[0]
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT' && (await isFolder(options.cwd))) {
    const message = `The command ${program} was not found on this machine. Use another tool, or ask the user to install it.`
    return new ToolFailure('TOOL_COMMAND_NOT_FOUND', message, { cause: error })
  }
  const message = `The command ${program} could not be started: ${sayReason(code, error, options)}`
  return new ToolFailure('TOOL_COMMAND_NOT_STARTED', message, { cause: error })
}

function sayReason(code: string, error: unknown, options: ProcessOptions): string {
  const { cwd, command } = options
  if (code === 'ENOENT' || code === 'ENOTDIR') return `its working directory ${cwd} is not there.`
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not execute it.'
  if (code === 'ERR_INVALID_ARG_VALUE') return 'an argument contains a NUL character, which no program can be given.'
  if (code !== 'E2BIG') return error instanceof Error ? `${error.message}.` : `${String(error)}.`
  const bytes = command.reduce((sum, one) => sum + Buffer.byteLength(one), 0)
  return `its ${command.length - 1} arguments are too long for this system (${bytes} bytes). Pass fewer in each call.`
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    found => found.isDirectory(),
    () => false,
  )
}

/** Shows the end of the output once a second, if there is more of it. */
function show({ preview }: ProcessOptions, stdout: ProcessOutput, stderr: ProcessOutput): () => void {
  if (preview === undefined) return () => {}
  let shown = 0
  const timer = setInterval(() => {
    const bytes = stdout.bytes + stderr.bytes
    if (bytes === shown) return
    shown = bytes
    const errors = stderr.tail(PREVIEW_BYTES)
    preview(stdout.tail(PREVIEW_BYTES) + (errors === '' ? '' : `\n--- stderr\n${errors}`))
  }, PREVIEW_MS)
  return () => clearInterval(timer)
}

/** Waits for the exit, for the end of the time, or for the signal, whichever comes first. */
async function waitForExit(child: Child, { timeoutMs, signal }: ProcessOptions): Promise<ProcessResult['ended']> {
  const over = new AbortController()
  const reasons = [
    new Promise<'exit'>(resolve => {
      if (child.exitCode !== null || child.signalCode !== null) resolve('exit')
      else child.once('exit', () => resolve('exit'))
    }),
    new Promise<'timeout'>(resolve => {
      const timer = setTimeout(resolve, Math.min(timeoutMs, LONGEST_TIMER_MS), 'timeout')
      over.signal.addEventListener('abort', () => clearTimeout(timer))
    }),
    new Promise<'abort'>(resolve => {
      if (signal?.aborted === true) resolve('abort')
      else signal?.addEventListener('abort', () => resolve('abort'), { signal: over.signal })
    }),
  ] as const
  try {
    return await Promise.race(reasons)
  } finally {
    over.abort()
  }
}

/** What a process that went on in the background keeps open must not keep the call open. */
async function waitForPipes(closed: Promise<void>, count: () => number): Promise<void> {
  let isClosed = false
  const noted = closed.then(() => {
    isClosed = true
  })
  const end = performance.now() + PIPES_MS
  for (let before = -1; !isClosed && before !== count() && performance.now() < end; ) {
    before = count()
    await Promise.race([noted, delay(SILENCE_MS)])
    // The timer may have been late: what waits in the pipes is read first.
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** Ends what is left of the group: SIGTERM, and SIGKILL for those that ignore it. */
async function endGroup(child: Child): Promise<void> {
  if (!signalGroup(child, 'SIGTERM')) return
  const end = performance.now() + TERM_MS
  while (performance.now() < end) {
    await delay(POLL_MS)
    if (!signalGroup(child, 0)) return
  }
  signalGroup(child, 'SIGKILL')
}

/** Says whether there was anything left to be told. */
function signalGroup(child: Child, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false
  if (!hasGroups) return child.exitCode === null && child.signalCode === null && child.kill(signal)
  try {
    return process.kill(-child.pid, signal)
  } catch {
    return false
  }
}
