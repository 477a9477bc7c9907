import type { ErrorCode } from '@argot/core'

export type WrongCallKind =
  /** It ran, but the task doesn't ask for it: another tool, other values, or one call too many. */
  | 'unexpected'
  | 'unknown-tool'
  | 'bad-input'
  | 'unreadable'
  /** The call was in a code block or only resembled one, so it was not made. */
  | 'shown'
  /** The reply was cut off before the call could run. */
  | 'cut'

export const wrongCallKinds: readonly WrongCallKind[] = [
  'unexpected',
  'unknown-tool',
  'bad-input',
  'unreadable',
  'shown',
  'cut',
]

export interface TaskFailure {
  kind: 'missing-call' | 'unexpected-call' | 'wrong-answer' | 'no-answer'
  text: string
}

/** One attempt at one task in one syntax. */
export interface TrialCase {
  syntax: string
  task: string
  /** From 1. */
  run: number
  solved: boolean
  failures: readonly TaskFailure[]
  /** The model could not be called, or failed itself. This says nothing about the syntax and isn't counted. */
  error?: { code: ErrorCode; text: string }
  calls: number
  wrongCalls: Partial<Record<WrongCallKind, number>>
  /** Wrong calls that the model corrected after Argot sent it the error. */
  repairs: number
  /** Calls with small mistakes that the reader repaired. */
  readerRepairs: number
  steps: number
  inputTokens: number
  outputTokens: number
  /** Some of the tokens are estimated because the provider did not count them. */
  estimated: boolean
  ms: number
}

export interface ReportedTask {
  name: string
  category: string
  digest: string
}

export interface TrialLimits {
  maxTokens: number
  maxSeconds: number
}

/** A trial's results, complete or not. */
export interface TrialReport {
  format: typeof REPORT_FORMAT
  model: string
  startedAt: string
  limits: TrialLimits
  temperature?: number
  tasks: readonly ReportedTask[]
  cases: readonly TrialCase[]
  /** Syntaxes that the model can't use. */
  skipped: readonly { syntax: string; reason: string }[]
}

export const REPORT_FORMAT = 'argot-trial-1'
