import { ArgotError, type ErrorCode } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import type { Syntax } from '@argot/core/syntax'
import type { Model } from '../model/model.ts'
import { createAgent } from '../run/create-agent.ts'
import { linkSignals } from '../tool/linked-signal.ts'
import { scoreRun } from './score-run.ts'
import type { Task } from './task.ts'
import { TaskCalls } from './task-calls.ts'
import type { TrialCase, TrialLimits, TrialReport } from './trial-report.ts'

/** In characters. The rest of a longer reply isn't read. */
const REPLY_LENGTH = 200_000
/** The trial ends after this many failed model calls in a row. */
const ERRORS_IN_A_ROW = 3

/** After one of these errors, nothing else would succeed either. */
const fatalCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'MODEL_UNREACHABLE',
  'MODEL_KEY_REFUSED',
  'MODEL_NOT_FOUND',
  'MODEL_NO_QUOTA',
  'MODEL_MISSING_KEY',
  'MODEL_MISSING_PACKAGE',
  'MODEL_BAD_ADDRESS',
])

export interface TrialOptions {
  model: Model
  tasks: readonly Task[]
  syntaxes: readonly Syntax[]
  /** How often to try each task in each syntax. */
  runs: number
  parallel: number
  limits: TrialLimits
  temperature?: number | undefined
  env: Readonly<Record<string, string | undefined>>
  /** Ends the trial and abandons the tasks in progress. */
  signal: AbortSignal
  /** Existing results; these are not tried again. */
  known?: readonly TrialCase[] | undefined
  onStart?: ((syntax: string, task: string) => void) | undefined
  onCase?: ((result: TrialCase) => void) | undefined
  onSkip?: ((skipped: TrialReport['skipped'][number]) => void) | undefined
  /** For example, a pause before the next model call. */
  notice?: ((text: string) => void) | undefined
}

interface PlannedCase {
  syntax: Syntax
  task: Task
  run: number
}

/**
 * Tries each task in each syntax. Passes every result to `onCase`, so that a trial that is stopped or fails keeps its
 * results. Throws an `ArgotError` if the model can't be called.
 */
export async function runTrial(options: TrialOptions): Promise<void> {
  const gaveUp = new AbortController()
  const { signal, release } = linkSignals([options.signal, gaveUp.signal])
  const planned = planCases(options)[Symbol.iterator]()
  const skipped = new Set<Syntax>()
  let failure: ArgotError | undefined
  let errors = 0
  const work = async (): Promise<void> => {
    for (const one of planned) {
      if (signal.aborted) return
      if (skipped.has(one.syntax)) continue
      const result = await tryTask(one, options, signal)
      if (signal.aborted) return
      const { error } = result
      if (error?.code === 'MODEL_NO_TOOLS') {
        skipped.add(one.syntax)
        options.onSkip?.({ syntax: one.syntax.name, reason: error.text })
        continue
      }
      errors = error === undefined ? 0 : errors + 1
      if (error !== undefined && (fatalCodes.has(error.code) || errors === ERRORS_IN_A_ROW)) {
        failure = new ArgotError(error.code, error.text)
        gaveUp.abort()
        return
      }
      options.onCase?.(result)
    }
  }
  try {
    await Promise.all(Array.from({ length: options.parallel }, work))
  } finally {
    release()
  }
  if (failure !== undefined) throw failure
}

export function planCases({
  syntaxes,
  tasks,
  runs,
  known: existing = [],
}: Pick<TrialOptions, 'syntaxes' | 'tasks' | 'runs' | 'known'>): PlannedCase[] {
  const done = new Set(existing.map(({ syntax, task, run }) => JSON.stringify([syntax, task, run])))
  const all = syntaxes.flatMap(syntax =>
    tasks.flatMap(task => Array.from({ length: runs }, (_, index) => ({ syntax, task, run: index + 1 }))),
  )
  return all.filter(({ syntax, task, run }) => !done.has(JSON.stringify([syntax.name, task.name, run])))
}

async function tryTask(
  { syntax, task, run }: PlannedCase,
  options: TrialOptions,
  signal: AbortSignal,
): Promise<TrialCase> {
  const { model, limits, temperature, env, notice } = options
  options.onStart?.(syntax.name, task.name)
  const calls = new TaskCalls(task)
  const agent = createAgent({
    model,
    syntax,
    system: task.system,
    tools: calls.createTools(),
    approve: 'all',
    maxSteps: task.maxSteps,
    tokenBudget: limits.maxTokens,
    runMs: limits.maxSeconds * 1000,
    replyLength: REPLY_LENGTH,
    settings: defined({ temperature }),
    env,
    notice,
  })
  const from = performance.now()
  const result = await agent.run(task.prompt, { signal }).result
  const ms = Math.round(performance.now() - from)
  const { inputTokens = 0, outputTokens = 0, estimated = false } = result.usage ?? {}
  const score = scoreRun(task, calls, result)
  const use = { steps: result.steps ?? 0, inputTokens, outputTokens, estimated, ms }
  return { syntax: syntax.name, task: task.name, run, ...score, ...use }
}
