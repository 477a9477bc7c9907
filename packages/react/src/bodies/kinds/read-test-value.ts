import { isRecord } from '@argot/core/stream/internal'
import { joinTrace, type TestFailure, type TestRun } from './read-test-run.ts'

type ReportFields = Record<string, unknown>

/** If a value with counts contains no test, it must have one of these to be a report. */
const signs = ['numTotalTests', 'tests', 'total', 'failures', 'suites', 'stats', 'summary'] as const
const MOST_CASES = 5000
const MOST_NAMES = 2000

/**
 * A test runner's report as an object: Jest and Vitest (`--json`), Mocha, pytest-json-report, JUnit as JSON, and `{
 * passed, failed, failures }`. Undefined for any other value.
 */
export function readTestValue(value: unknown): TestRun | undefined {
  if (!isRecord(value)) return undefined
  const cases = readCases(value)
  const counts = readCounts(value)
  if (cases.length === 0 && counts === undefined) return undefined
  if (counts === undefined && !cases.every(({ state }) => state !== undefined)) return undefined
  if (cases.length === 0 && !signs.some(key => Object.hasOwn(value, key))) return undefined
  const failures = cases.filter(({ state }) => state === 'failed')
  const passes = cases.filter(({ state }) => state === 'passed')
  const skips = cases.filter(({ state }) => state === 'skipped')
  return {
    passed: counts?.passed ?? passes.length,
    failed: counts?.failed ?? failures.length,
    skipped: counts?.skipped ?? skips.length,
    duration: undefined,
    failures: failures.map(({ name, trace }) => ({ name, trace })),
    passes: passes.slice(0, MOST_NAMES).map(({ name }) => name),
    skips: skips.slice(0, MOST_NAMES).map(({ name }) => name),
  }
}

interface Counts {
  passed: number
  failed: number
  skipped: number
}

function readCounts(value: ReportFields): Counts | undefined {
  const jest = readThreeCounts(value, ['numPassedTests', 'numFailedTests', 'numPendingTests'])
  if (jest !== undefined) return jest
  for (const at of ['stats', 'summary', 'results'] as const) {
    const inner = own(value, at)
    const counts = isRecord(inner) ? readCounts(isRecord(inner.summary) ? inner.summary : inner) : undefined
    if (counts !== undefined) return counts
  }
  const mocha = readThreeCounts(value, ['passes', 'failures', 'pending'])
  if (mocha !== undefined) return mocha
  const plain =
    readThreeCounts(value, ['passed', 'failed', 'skipped']) ?? readThreeCounts(value, ['pass', 'fail', 'skip'])
  if (plain !== undefined) return plain
  // JUnit counts all tests, and has two fields for failures.
  const all = readThreeCounts(value, ['tests', 'failures', 'skipped'])
  if (all === undefined) return undefined
  const failed = all.failed + (count(value, 'errors') ?? 0)
  return { passed: Math.max(0, all.passed - failed - all.skipped), failed, skipped: all.skipped }
}

/** Three counts, of which the first two are required. */
function readThreeCounts(
  value: ReportFields,
  [passed, failed, skipped]: readonly [string, string, string],
): Counts | undefined {
  const [one, two] = [count(value, passed), count(value, failed)]
  return one === undefined || two === undefined
    ? undefined
    : { passed: one, failed: two, skipped: count(value, skipped) ?? 0 }
}

function count(value: ReportFields, key: string): number | undefined {
  const one = own(value, key)
  return typeof one === 'number' && Number.isInteger(one) && one >= 0 ? one : undefined
}

interface Case extends TestFailure {
  state: 'passed' | 'failed' | 'skipped' | undefined
}

const listKeys = [
  ...['testResults', 'assertionResults', 'testsuites', 'testsuite', 'testSuites', 'suites', 'testcases', 'testcase'],
  ...['testCases', 'tests', 'failures'],
] as const

function readCases(value: ReportFields): Case[] {
  const cases: Case[] = []
  collect(value, cases, 0)
  return cases
}

function collect(value: ReportFields, cases: Case[], depth: number): void {
  const names = new Set(cases.map(({ name }) => name))
  for (const key of listKeys) {
    const inner = own(value, key)
    const list = Array.isArray(inner) ? inner : isRecord(inner) && key.startsWith('testsuite') ? [inner] : []
    for (const one of list) {
      if (!isRecord(one) || cases.length >= MOST_CASES) continue
      if (depth < 4 && listKeys.some(name => Array.isArray(own(one, name)))) collect(one, cases, depth + 1)
      else {
        const test = toCase(one, key === 'failures')
        // Reports list failures twice: among all tests, and separately.
        if (test !== undefined && !(key === 'failures' && names.has(test.name))) cases.push(test)
        if (test !== undefined) names.add(test.name)
      }
    }
  }
}

const states: Readonly<Record<string, Case['state']>> = {
  passed: 'passed',
  pass: 'passed',
  ok: 'passed',
  success: 'passed',
  failed: 'failed',
  fail: 'failed',
  error: 'failed',
  failure: 'failed',
  skipped: 'skipped',
  skip: 'skipped',
  pending: 'skipped',
  todo: 'skipped',
  disabled: 'skipped',
}

function toCase(value: ReportFields, isFailure: boolean): Case | undefined {
  const name = firstText(value, ['fullName', 'fullTitle', 'nodeid', 'name', 'title', 'test'])
  if (name === undefined) return undefined
  const group = firstText(value, ['classname', 'className', 'suite'])
  const failure = own(value, 'failure') ?? own(value, 'error') ?? readThrown(value)
  const word = (firstText(value, ['status', 'outcome', 'result', 'state']) ?? '').toLowerCase()
  const named = Object.hasOwn(states, word) ? states[word] : undefined
  const isSkipped = Object.hasOwn(value, 'skipped') && own(value, 'skipped') !== false
  const state =
    named ?? (isFailure || (failure !== undefined && failure !== null) ? 'failed' : isSkipped ? 'skipped' : 'passed')
  const isPlain = named === undefined && !isFailure && group === undefined && failure === undefined && !isSkipped
  const trace = state === 'failed' ? joinTrace(readTrace(value, failure).split('\n')) : ''
  return { name: group === undefined ? name : `${group} > ${name}`, state: isPlain ? undefined : state, trace }
}

/** Mocha gives passed tests an empty error. */
function readThrown(value: ReportFields): unknown {
  const error = own(value, 'err')
  return isRecord(error) && Object.keys(error).length > 0 ? error : undefined
}

function readTrace(value: ReportFields, failure: unknown): string {
  const messages = own(value, 'failureMessages')
  if (Array.isArray(messages)) return messages.filter(one => typeof one === 'string').join('\n')
  const list = Array.isArray(failure) ? failure : [failure, own(value, 'call')]
  const texts = list.flatMap(one => {
    if (typeof one === 'string') return [one]
    if (!isRecord(one)) return []
    const text = firstText(one, ['stack', 'text', 'longrepr', 'content', '_', '#text'])
    const message = firstText(one, ['message'])
    return text === undefined || message === undefined || text.includes(message)
      ? [text ?? message ?? '']
      : [message, text]
  })
  return texts.filter(text => text !== '').join('\n') || (firstText(value, ['stack', 'message', 'trace']) ?? '')
}

function firstText(fields: ReportFields, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = own(fields, key)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function own(fields: ReportFields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}
