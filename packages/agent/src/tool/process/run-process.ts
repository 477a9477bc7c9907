import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { StartGate } from '../sandbox/start-gate.ts'
import { type Child, endGroup, startChild } from './child-group.ts'
import { endStrays } from './end-strays.ts'
import { type FindSpans, ProcessOutput } from './process-output.ts'

export interface ProcessOptions {
  /** The program's name in messages; by default, the first word of the command. */
  name?: string
  command: readonly [string, ...string[]]
  cwd: string
  env: Readonly<Record<string, string>>
  /** Lets the program start, if something must be checked first. */
  gate?: StartGate | undefined
  timeoutMs: number
  /** How many bytes of output to keep; three quarters of them are for stdout. */
  outputLimit: number
  signal?: AbortSignal
  /** Finds the secrets in a text, so that no cut splits one. */
  findSecrets?: FindSpans | undefined
  /** Receives the end of the output so far, at most once a second. */
  preview?: (text: string) => void
}

export interface ProcessResult {
  ended: 'exit' | 'timeout' | 'abort'
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: ProcessOutput
  stderr: ProcessOutput
  ms: number
}

/** After the exit, how long the pipes may be silent, and how long they may continue, before they are abandoned. */
const SILENCE_MS = 250
const PIPES_MS = 2000
/** A longer timer fires immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
const PREVIEW_MS = 1000
const PREVIEW_BYTES = 2048

/**
 * Runs a program without a shell, in its own process group and without input. When this returns, no process of the
 * group runs any more, nor, on Linux, any that left it, whether the program exited, timed out or was stopped. The
 * program can't read this process's keys from what the system shows about it.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  options.signal?.throwIfAborted()
  const mark = randomBytes(16).toString('hex')
  const started = performance.now()
  const stdout = new ProcessOutput(Math.ceil(options.outputLimit * 0.75), options.findSecrets)
  const stderr = new ProcessOutput(Math.floor(options.outputLimit * 0.25), options.findSecrets)
  const child = await startChild(options, mark, 'ignore')
  child.stdout.on('data', (piece: Buffer) => stdout.push(piece))
  child.stderr.on('data', (piece: Buffer) => stderr.push(piece))
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  const stopPreviews = previewOutput(options, stdout, stderr)
  try {
    const ended = await waitForExit(child, options)
    if (ended === 'exit') await waitForPipes(closed, () => stdout.bytes + stderr.bytes)
    await endGroup(child)
    await endStrays(mark)
    if (ended !== 'exit') await Promise.race([closed, delay(SILENCE_MS)])
    const { exitCode, signalCode } = child
    return { ended, exitCode, signal: signalCode, stdout, stderr, ms: Math.round(performance.now() - started) }
  } finally {
    stopPreviews()
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

function previewOutput({ preview }: ProcessOptions, stdout: ProcessOutput, stderr: ProcessOutput): () => void {
  if (preview === undefined) return () => {}
  let previewedBytes = 0
  const timer = setInterval(() => {
    const bytes = stdout.bytes + stderr.bytes
    if (bytes === previewedBytes) return
    previewedBytes = bytes
    const errors = stderr.tail(PREVIEW_BYTES)
    preview(stdout.tail(PREVIEW_BYTES) + (errors === '' ? '' : `\n--- stderr\n${errors}`))
  }, PREVIEW_MS)
  return () => clearInterval(timer)
}

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

/** A background process that holds the pipes open must not keep the call open. */
async function waitForPipes(closed: Promise<void>, count: () => number): Promise<void> {
  let isClosed = false
  const onceClosed = closed.then(() => {
    isClosed = true
  })
  const end = performance.now() + PIPES_MS
  for (let before = -1; !isClosed && before !== count() && performance.now() < end; ) {
    before = count()
    await Promise.race([onceClosed, delay(SILENCE_MS)])
    // The timer may have been late: first read what is waiting in the pipes.
    await new Promise(resolve => setImmediate(resolve))
  }
}
