import { ArgotError, type ErrorCode } from '@argot/core'
import { defined, isRecord } from '@argot/core/stream/internal'
import { readDocumentText } from '../files/document-file.ts'
import {
  REPORT_FORMAT,
  type ReportedTask,
  type TaskFailure,
  type TrialCase,
  type TrialReport,
  wrongCallKinds,
} from './trial-report.ts'

const REPORT_BYTES = 64 * 1024 * 1024

/** Throws `TRIAL_BAD_REPORT` if the file contains anything else, and the system's error if it can't be read. */
export async function readReport(file: string): Promise<TrialReport> {
  const document = await readDocumentText(file, REPORT_BYTES)
  if (!document.ok) throw new ArgotError('TRIAL_BAD_REPORT', document.problem.message)
  let value: unknown
  try {
    value = JSON.parse(document.text)
  } catch {
    throw badReport(file, 'it is not JSON')
  }
  return toReport(value, file)
}

function toReport(value: unknown, file: string): TrialReport {
  if (!isRecord(value) || typeof value.format !== 'string' || !value.format.startsWith('argot-trial-'))
    throw badReport(file, 'it was not written by `argot trial`')
  if (value.format !== REPORT_FORMAT)
    throw badReport(file, `its format is "${value.format.slice(0, 40)}", not "${REPORT_FORMAT}"`)
  const { model, startedAt, limits, temperature, tasks, cases, skipped = [] } = value
  if (!isText(model) || !isText(startedAt) || !isRecord(limits))
    throw badReport(file, '`model`, `startedAt` or `limits` is missing')
  const { maxTokens, maxSeconds } = limits
  if (!isCount(maxTokens) || !isCount(maxSeconds)) throw badReport(file, '`limits` is not complete')
  if (!isList(tasks, isTask)) throw badReport(file, '`tasks` is not a list of tasks')
  if (!isList(cases, isCase)) throw badReport(file, '`cases` is not a list of results')
  if (!isList(skipped, isSkipped)) throw badReport(file, '`skipped` is not a list of syntaxes')
  return {
    format: REPORT_FORMAT,
    model,
    startedAt,
    limits: { maxTokens, maxSeconds },
    ...defined({ temperature: isCount(temperature) ? temperature : undefined }),
    tasks,
    cases,
    skipped,
  }
}

function badReport(file: string, problem: string): ArgotError {
  return new ArgotError('TRIAL_BAD_REPORT', `${file} has no trial results: ${problem}.`)
}

function isList<Item>(value: unknown, isItem: (one: unknown) => one is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isTask(value: unknown): value is ReportedTask {
  return isRecord(value) && isText(value.name) && isText(value.category) && isText(value.digest)
}

function isSkipped(value: unknown): value is TrialReport['skipped'][number] {
  return isRecord(value) && isText(value.syntax) && typeof value.reason === 'string'
}

const counts = ['run', 'calls', 'repairs', 'readerRepairs', 'steps', 'inputTokens', 'outputTokens', 'ms'] as const

function isCase(value: unknown): value is TrialCase {
  if (!isRecord(value) || !isText(value.syntax) || !isText(value.task)) return false
  if (typeof value.solved !== 'boolean' || typeof value.estimated !== 'boolean') return false
  if (!counts.every(name => isCount(value[name]))) return false
  return isList(value.failures, isFailure) && isWrongCalls(value.wrongCalls) && isError(value.error)
}

function isFailure(value: unknown): value is TaskFailure {
  return isRecord(value) && isText(value.kind) && typeof value.text === 'string'
}

function isWrongCalls(value: unknown): value is TrialCase['wrongCalls'] {
  const kinds: readonly string[] = wrongCallKinds
  return isRecord(value) && Object.entries(value).every(([kind, count]) => kinds.includes(kind) && isCount(count))
}

function isError(value: unknown): value is { code: ErrorCode; text: string } | undefined {
  return value === undefined || (isRecord(value) && isText(value.code) && typeof value.text === 'string')
}
