import type { ToolInvocation } from '@argot/core'
import { isSettled, waitsFor } from '@argot/core/stream'
import { describeCall } from '../../hooks/words.ts'

/** What a turn did, counted. */
export interface RunSummary {
  calls: number
  /** Calls that failed and that no later call of the same tool on the same subject repaired. */
  failed: number
  /** Calls that wait for a person. */
  waiting: number
  filesChanged: number
  isSettled: boolean
  /** Milliseconds since 1970: when its first call began, and when its last one ended. */
  startedAt: number | undefined
  endedAt: number | undefined
}

/** The calls of a turn in numbers, for its run line. */
export function runSummary(calls: readonly ToolInvocation[]): RunSummary {
  const described = calls.map(call => ({ call, said: describeCall(call) }))
  const isFailed = (state: string) => state === 'failed' || state === 'broken'
  const files = new Set<string>()
  for (const { call, said } of described) {
    if (said.state === 'done' && isChange(call)) files.add(said.subject ?? call.key)
  }
  const times = (pick: (call: ToolInvocation) => number | undefined) =>
    calls.map(pick).filter(time => time !== undefined)
  const starts = times(call => call.startedAt)
  const ends = times(call => call.endedAt)
  return {
    calls: calls.length,
    failed: described.filter(({ said }) => isFailed(said.state)).length,
    waiting: calls.filter(waitsFor).length,
    filesChanged: files.size,
    isSettled: calls.every(isSettled),
    startedAt: starts.length === 0 ? undefined : starts.reduce((a, b) => Math.min(a, b)),
    endedAt: ends.length === 0 ? undefined : ends.reduce((a, b) => Math.max(a, b)),
  }
}

/** Whether a failure is left that no later call of the same tool on the same subject repaired. */
export function hasOpenFailure(calls: readonly ToolInvocation[]): boolean {
  const failed = new Set<string>()
  for (const call of calls) {
    const { state, subject } = describeCall(call)
    const about = JSON.stringify([call.toolName, subject])
    if (state === 'failed' || state === 'broken') failed.add(about)
    else if (state === 'done') failed.delete(about)
  }
  return failed.size > 0
}

function isChange({ toolName, details }: ToolInvocation): boolean {
  if (/(?:^|_)(?:write|edit|append|delete|move|create|replace|patch|remove|update)(?:_|$)/i.test(toolName)) return true
  return typeof details === 'object' && details !== null && Object.hasOwn(details, 'diff')
}
