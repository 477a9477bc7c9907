import { type ErrorCode, isToolPart, type Message, type MessagePart, type ToolInvocation } from '@argot/core'
import { isCorrection, isRecord } from '@argot/core/stream/internal'
import type { RunResult } from '../run/run-options.ts'
import { containsText } from './contains-text.ts'
import { examplePattern } from './pattern.ts'
import type { Task } from './task.ts'
import type { CallVerdict, TaskCalls } from './task-calls.ts'
import type { TaskFailure, TrialCase, WrongCallKind } from './trial-report.ts'

export type RunScore = Pick<
  TrialCase,
  'solved' | 'failures' | 'error' | 'calls' | 'wrongCalls' | 'repairs' | 'readerRepairs'
>

/** A call or an attempt at one, in the order in which the model wrote them. */
interface CallAttempt {
  step: number
  /** Undefined for a correct call. */
  wrong: WrongCallKind | undefined
  call?: ToolInvocation
}

/** Endings that are the model's own fault: it was called and didn't reach an answer within its limits. */
const modelFaults: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RUN_MAX_STEPS',
  'RUN_MAX_TOKENS',
  'RUN_MAX_TIME',
  'MODEL_REPLY_CUT',
  'MODEL_REPLY_FILTERED',
  'MODEL_REPLY_EMPTY',
  'MODEL_TOO_SLOW',
  'MODEL_REPLY_TOO_LONG',
  'MODEL_CONTEXT_EXCEEDED',
  'MODEL_REPLAY_ENDED',
])

/**
 * Scores a run by its calls and its answer; no model judges. A task is solved if every expected call ran, no other call
 * ran, and the answer contains its texts. A call that Argot refused before it ran is wrong, but the model may still
 * correct it.
 */
export function scoreRun(task: Task, calls: TaskCalls, result: RunResult): RunScore {
  const attempts = readAttempts(task, result.message)
  const failures = [...callFailures(calls, attempts), ...endFailures(task, result)]
  return {
    solved: failures.length === 0,
    failures,
    ...modelError(result),
    calls: attempts.filter(({ call }) => call !== undefined).length,
    wrongCalls: countWrong(attempts),
    repairs: countRepairs(attempts),
    readerRepairs: attempts.filter(({ call }) => call !== undefined && isRepaired(call)).length,
  }
}

function modelError(result: RunResult): Pick<TrialCase, 'error'> {
  if (result.status !== 'failed' || modelFaults.has(result.code)) return {}
  return { error: { code: result.code, text: result.error } }
}

function readAttempts(task: Task, message: Message | undefined): CallAttempt[] {
  const attempts: CallAttempt[] = []
  let step = 0
  for (const part of message?.parts ?? []) {
    if (part.type === 'step-start') step++
    else if (isCorrection(part)) attempts.push({ step, wrong: 'shown' })
    else if (isToolPart(part)) attempts.push({ step, wrong: wrongKind(part.toolInvocation), call: part.toolInvocation })
  }
  // If the task expects no calls, showing one is not a mistake.
  if (task.calls.length === 0) return attempts.filter(({ wrong }) => wrong !== 'shown')
  const corrected = attempts.filter(({ wrong }) => wrong === 'shown').length
  for (let left = countShown(message) - corrected; left > 0; left--) attempts.push({ step, wrong: 'shown' })
  return attempts
}

/** Counts replies in which Argot saw a call that the model didn't make. */
function countShown(message: Message | undefined): number {
  const notices = message?.metadata?.notices
  return Array.isArray(notices) ? notices.length : 0
}

function wrongKind(call: ToolInvocation): WrongCallKind | undefined {
  if (call.state === 'output-available') return getVerdict(call) === 'unexpected' ? 'unexpected' : undefined
  const code = call.resultProviderMetadata?.argot?.code
  switch (code) {
    // The task plans this error.
    case 'TOOL_FAILED':
      return undefined
    case 'TOOL_NOT_FOUND':
    case 'SYNTAX_UNKNOWN_TOOL':
      return 'unknown-tool'
    case 'TOOL_BAD_INPUT':
    case 'SYNTAX_BAD_VALUE':
    case 'SYNTAX_MISSING_PARAMETER':
    case 'SYNTAX_INTEGER_TOO_LARGE':
      return 'bad-input'
    case 'TOOL_NOT_RUN':
    case 'TOOL_STOPPED':
    case undefined:
      return 'cut'
    default:
      return 'unreadable'
  }
}

function getVerdict({ details }: ToolInvocation): CallVerdict | undefined {
  return isRecord(details) ? (details.verdict as CallVerdict | undefined) : undefined
}

function isRepaired({ callProviderMetadata }: ToolInvocation): boolean {
  const repaired = callProviderMetadata?.argot?.repaired
  return Array.isArray(repaired) && repaired.length > 0
}

function countWrong(attempts: readonly CallAttempt[]): TrialCase['wrongCalls'] {
  const counts: TrialCase['wrongCalls'] = {}
  for (const { wrong } of attempts) if (wrong !== undefined) counts[wrong] = (counts[wrong] ?? 0) + 1
  return counts
}

/** A repair is a correct call in a later step than one or more refused calls that it replaces. */
function countRepairs(attempts: readonly CallAttempt[]): number {
  let repairs = 0
  let refusedStep: number | undefined
  for (const { step, wrong } of attempts) {
    if (wrong !== undefined && wrong !== 'unexpected') refusedStep = step
    else if (wrong === undefined && refusedStep !== undefined && step > refusedStep) {
      repairs++
      refusedStep = undefined
    }
  }
  return repairs
}

function callFailures({ missing }: TaskCalls, attempts: readonly CallAttempt[]): TaskFailure[] {
  const unexpected = attempts.filter(({ wrong }) => wrong === 'unexpected').map(({ call }) => call!.toolName)
  return [
    ...missing.map(
      ({ tool, input }): TaskFailure => ({
        kind: 'missing-call',
        text: `${tool} ${shorten(examplePattern(input))} was not called`,
      }),
    ),
    ...unexpected.map((name): TaskFailure => ({ kind: 'unexpected-call', text: `${name} was called unnecessarily` })),
  ]
}

function endFailures(task: Task, result: RunResult): TaskFailure[] {
  if (result.status === 'failed') return [{ kind: 'no-answer', text: result.error }]
  if (result.status !== 'done') return [{ kind: 'no-answer', text: 'the run was stopped' }]
  const answer = readAnswer(result.message)
  return task.answer
    .filter(texts => !texts.some(text => containsText(answer, text)))
    .map(texts => ({ kind: 'wrong-answer', text: `the answer doesn’t have ${texts.map(shorten).join(' or ')}` }))
}

function readAnswer({ parts }: Message): string {
  const lastStep = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  return lastStep.map(getAnswerText).join('')
}

function getAnswerText(part: MessagePart): string {
  return part.type === 'text' && part.phase !== 'remainder' ? part.text : ''
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text
}
