import type { ToolInvocation } from '@argot/core'
import { waitsFor } from '@argot/core/stream'
import { describeCall } from '../../hooks/words.ts'

export interface RunSummary {
  /** Failed calls that no later call of the same tool on the same subject repaired. */
  failed: number
  waiting: number
  filesChanged: number
  /** When its first call began and its last one ended, in milliseconds since 1970. */
  startedAt: number | undefined
  endedAt: number | undefined
}

export function runSummary(calls: readonly ToolInvocation[]): RunSummary {
  const repairs = findRepairs(calls)
  const files = new Set<string>()
  let failed = 0
  for (const call of calls) {
    const { state, subject = call.key } = describeCall(call)
    if (state === 'done' && isChange(call)) files.add(subject)
    if (isFailed(state) && !repairs.has(call.key)) failed++
  }
  const pick = (field: 'startedAt' | 'endedAt', best: (...times: number[]) => number) =>
    calls.reduce<number | undefined>(
      (last, { [field]: time }) => (time === undefined ? last : best(last ?? time, time)),
      undefined,
    )
  return {
    failed,
    waiting: calls.filter(waitsFor).length,
    filesChanged: files.size,
    startedAt: pick('startedAt', Math.min),
    endedAt: pick('endedAt', Math.max),
  }
}

/** The failed calls that a later call of the same tool on the same subject repaired, with the number of that try. */
export function findRepairs(calls: readonly ToolInvocation[]): Map<string, number> {
  const failures = new Map<string, string[]>()
  const repairs = new Map<string, number>()
  for (const call of calls) {
    const { state, subject } = describeCall(call)
    const about = JSON.stringify([call.toolName, subject])
    const keys = failures.get(about) ?? []
    if (isFailed(state)) failures.set(about, [...keys, call.key])
    else if (state === 'done' && failures.delete(about)) for (const key of keys) repairs.set(key, keys.length + 1)
  }
  return repairs
}

export function hasOpenFailure(calls: readonly ToolInvocation[]): boolean {
  return runSummary(calls).failed > 0
}

export function isFailed(state: string): boolean {
  return state === 'failed' || state === 'broken'
}

function isChange({ toolName, details }: ToolInvocation): boolean {
  if (/(?:^|_)(?:write|edit|append|delete|move|create|replace|patch|remove|update)(?:_|$)/i.test(toolName)) return true
  return typeof details === 'object' && details !== null && Object.hasOwn(details, 'diff')
}
