import type { JsonSchema } from '@argot/core'
import { ToolFailure } from '../../words/tool-failure.ts'
import { checkToolName } from '../define-tool.ts'
import { createSecretFinder, type FindSecretSpans } from '../output/secret-finder.ts'
import { describeUnconfined } from '../sandbox/describe-closed.ts'
import { isConfining, type Launch, type Program, type Sandbox } from '../sandbox/sandbox.ts'
import { ClosedGate } from '../sandbox/start-gate.ts'
import { checkInput } from '../schema/check-input.ts'
import type { Tool, Validation } from '../tool.ts'
import { type EditorTerminal, runInTerminal } from './editor-terminal.ts'
import type { ProcessOutput } from './process-output.ts'
import { reduceEnvironment } from './reduce-environment.ts'
import { type ProcessOptions, type ProcessResult, runProcess } from './run-process.ts'
import { splitCommand } from './split-command.ts'

export interface ShellToolOptions {
  name: string
  /** A program and its first arguments, in the syntax of `splitCommand`. */
  command: string
  description?: string
  cwd: string
  /** The program gets the harmless part of this environment. */
  env: Readonly<Record<string, string | undefined>>
  /** 60 s by default. */
  timeoutMs?: number
  /** The most bytes of output that the model gets; 384 KiB by default. */
  outputLimit?: number
  /** The program's sandbox, from `openSandbox`. Without one, the program can do everything that the user can. */
  sandbox?: Sandbox | undefined
  /** The program may use the network in a sandbox. */
  network?: boolean | undefined
  /** Where the program runs if no sandbox confines it. */
  terminal?: EditorTerminal | undefined
}

export interface ShellDetails {
  exitCode: number | null
  signal: string | null
  stdoutBytes: number
  stderrBytes: number
  ms: number
  sandbox?: Sandbox['kind']
}

const TIMEOUT_MS = 60_000
const OUTPUT_LIMIT = 384 * 1024
/** The loop's limit applies only if this tool, whose message has the output, fails to end the command. */
const LOOP_GRACE_MS = 10_000
/** How often to create a sandbox for one call if it comes out wrong. */
const MOST_ATTEMPTS = 3
const ERROR_BYTES = 4096

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    arguments: {
      type: 'array',
      items: { type: 'string' },
      description:
        'The arguments, one string each. There is no shell: quotes, globs, pipes and variables mean nothing.',
    },
  },
  additionalProperties: false,
}

/**
 * Creates a tool that runs one program with the model's arguments, without a shell. A program that fails produces an
 * output that says so, not an error: models read the status and continue. A program that can't be started or times out
 * is an error.
 */
export function createShellTool(options: ShellToolOptions): Tool {
  const {
    name,
    description,
    timeoutMs = TIMEOUT_MS,
    outputLimit = OUTPUT_LIMIT,
    cwd,
    sandbox,
    network = false,
  } = options
  // A program that can be confined never runs in a terminal.
  const terminal = sandbox === undefined || sandbox.kind === 'none' ? options.terminal : undefined
  checkToolName(name)
  const command = splitCommand(options.command)
  const env = reduceEnvironment(options.env)
  let findSecrets: FindSecretSpans | undefined
  return {
    name,
    description: description ?? `Runs \`${options.command}\` with the given arguments, without a shell.`,
    inputSchema,
    effect: 'exec',
    boundary: sandbox?.describe(network) ?? describeUnconfined('No sandbox was set up.'),
    isConfined: isConfining(sandbox),
    timeoutMs: timeoutMs + LOOP_GRACE_MS,
    validate,
    subject: input => ({
      kind: 'command',
      words: [...command, ...((input as { arguments?: string[] }).arguments ?? [])],
    }),
    async execute(input, { signal, preview }) {
      const { arguments: extraArguments = [] } = input as { arguments?: string[] }
      const program = { command: [...command, ...extraArguments], cwd, env, network } satisfies Program
      const prepare = async (): Promise<Launch> => (await sandbox?.launch(program)) ?? { command: program.command, env }
      const run = terminal === undefined ? runProcess : runInTerminal.bind(undefined, terminal)
      const { launch, ...result } = await runLaunched(prepare, run, {
        name: command[0],
        cwd,
        timeoutMs,
        outputLimit,
        signal,
        preview,
        findSecrets: (findSecrets ??= createSecretFinder(options.env)),
      })
      if (result.ended === 'abort') signal.throwIfAborted()
      if (result.ended === 'timeout') throw tookTooLong(command[0], timeoutMs, result)
      await refuseUnlessStarted(command[0], launch, result)
      const notes = [result.exitCode === 0 ? undefined : launch.closed, result.notes].filter(one => one !== undefined)
      return {
        output: [describeResult(result), ...notes].join('\n'),
        details: sandbox === undefined ? toDetails(result) : { ...toDetails(result), sandbox: sandbox.kind },
      }
    },
  }
}

type LaunchResult = ProcessResult & { launch: Launch; notes?: string }

/** Always cleans up. If the sandbox came out wrong, the program hasn't started yet, and it is tried again. */
async function runLaunched(
  prepare: () => Promise<Launch>,
  run: (options: ProcessOptions) => Promise<ProcessResult>,
  options: Omit<ProcessOptions, 'command' | 'env' | 'gate'>,
): Promise<LaunchResult> {
  for (let attempt = 1; ; attempt++) {
    const launch = await prepare()
    const { command, env, gate } = launch
    let result: ProcessResult
    try {
      result = await run({ ...options, command, env, gate })
    } catch (error) {
      await launch.end?.()
      if (attempt < MOST_ATTEMPTS && error instanceof Error && error.cause instanceof ClosedGate) continue
      throw error
    }
    const createdFiles = await launch.end?.()
    return { ...result, launch, ...(createdFiles !== undefined && { notes: createdFiles }) }
  }
}

function validate(input: unknown): Validation {
  const checked = checkInput(inputSchema, input)
  if (!checked.ok) return checked
  const { arguments: values = [] } = checked.input as { arguments?: string[] }
  const at = values.findIndex(one => one.includes('\0'))
  if (at < 0) return checked
  return { ok: false, problem: `arguments[${at}] contains a NUL character, which can't be passed to a program.` }
}

/** A sandbox can fail to execute the program. The program's own output and status say nothing about that. */
async function refuseUnlessStarted(program: string, { closed, gate }: Launch, result: ProcessResult): Promise<void> {
  if (gate === undefined || result.exitCode === null || (await gate.hasReportedExit())) return
  const [reason = ''] = result.stderr.text.trim().split('\n')
  const message = `The command ${program} couldn't be started in the sandbox: ${reason}`
  throw new ToolFailure('TOOL_COMMAND_NOT_STARTED', `${message}\n${closed}`)
}

/** Only stdout if the program succeeded with nothing on stderr; otherwise the status, then each output by name. */
function describeResult({ exitCode, signal, stdout, stderr }: ProcessResult): string {
  if (exitCode === 0 && stderr.bytes === 0) return stdout.bytes === 0 ? 'exit 0, no output' : stdout.text
  const status = signal === null ? `exit ${exitCode}` : `ended by ${signal}`
  if (stdout.bytes + stderr.bytes === 0) return `${status}, no output`
  return status + section('stdout', stdout, stdout.text) + section('stderr', stderr, stderr.text)
}

function section(title: string, { bytes }: ProcessOutput, text: string): string {
  return bytes === 0 ? '' : `\n--- ${title}\n${text.replace(/\n$/, '')}`
}

function tookTooLong(program: string, timeoutMs: number, { stdout, stderr }: ProcessResult): ToolFailure {
  const message = `${program} didn't end within ${timeoutMs / 1000} s and was stopped, with everything it had started.`
  const output =
    section('the end of stdout', stdout, stdout.tail(ERROR_BYTES)) +
    section('the end of stderr', stderr, stderr.tail(ERROR_BYTES))
  return new ToolFailure('TOOL_COMMAND_TIMEOUT', message + output)
}

function toDetails({ exitCode, signal, stdout, stderr, ms }: ProcessResult): ShellDetails {
  return { exitCode, signal, stdoutBytes: stdout.bytes, stderrBytes: stderr.bytes, ms }
}
