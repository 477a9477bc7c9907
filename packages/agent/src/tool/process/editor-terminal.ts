import { ProcessOutput } from './process-output.ts'
import type { ProcessOptions, ProcessResult } from './run-process.ts'

/** An editor's terminal. Its programs run as if the user had started them: nothing confines them. */
export interface EditorTerminal {
  start(program: TerminalProgram): Promise<RunningProgram>
}

export interface TerminalProgram {
  command: readonly [string, ...string[]]
  cwd: string
  env: Readonly<Record<string, string>>
  outputLimit: number
}

export interface RunningProgram {
  output(): Promise<string>
  exited: Promise<{ exitCode: number | null; signal: string | null }>
  kill(): Promise<void>
  release(): Promise<void>
}

const PREVIEW_MS = 1000
const PREVIEW_LENGTH = 2048

/** Has the same limits and the same result as `runProcess`. All output is in `stdout`. */
export async function runInTerminal(terminal: EditorTerminal, options: ProcessOptions): Promise<ProcessResult> {
  const { command, cwd, env, outputLimit, timeoutMs, signal, preview, findSecrets } = options
  signal?.throwIfAborted()
  const started = performance.now()
  const running = await terminal.start({ command, cwd, env, outputLimit })
  let ended: ProcessResult['ended'] = 'exit'
  const end = (why: 'timeout' | 'abort') => (): void => {
    ended = why
    void running.kill().catch(() => {})
  }
  const onAbort = end('abort')
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(end('timeout'), timeoutMs)
  const watch = setInterval(() => {
    void running.output().then(
      text => preview?.(text.slice(-PREVIEW_LENGTH)),
      () => {},
    )
  }, PREVIEW_MS)
  try {
    const exit = await running.exited
    const stdout = new ProcessOutput(outputLimit, findSecrets)
    stdout.push(Buffer.from(await running.output()))
    return {
      ended,
      exitCode: exit.exitCode,
      signal: exit.signal as NodeJS.Signals | null,
      stdout,
      stderr: new ProcessOutput(outputLimit, findSecrets),
      ms: Math.round(performance.now() - started),
    }
  } finally {
    clearTimeout(timer)
    clearInterval(watch)
    signal?.removeEventListener('abort', onAbort)
    await running.release().catch(() => {})
  }
}
