import type { ToolInvocation } from '@argot/core'
import { isSettled, waitsFor } from '@argot/core/stream'
import { describeCall } from '../../hooks/words.ts'

/** Calls that are shown together: parallel calls, or a long row of reads as one. */
export type CallGroup =
  | { kind: 'single'; calls: readonly [ToolInvocation] }
  | { kind: 'parallel'; calls: readonly ToolInvocation[] }
  | { kind: 'reads'; calls: readonly ToolInvocation[] }

/** More consecutive reads than this collapse into one row. */
const MANY_READS = 5

/**
 * A section's calls, in order. Calls of one step share a bracket; without steps, those that ran at the same time do. A
 * stream that is read again has different times, but the same steps. A long row of successful reads can become one row.
 * A call that failed or waits is never inside a row of reads.
 */
export function callGroups(
  calls: readonly ToolInvocation[],
  groupsReads = true,
  steps?: readonly number[] | undefined,
): CallGroup[] {
  const groups: CallGroup[] = []
  for (let at = 0; at < calls.length; ) {
    const reads = groupsReads ? readsFrom(calls, at) : 0
    const together = steps?.length === calls.length ? sameStepFrom(calls, steps, at) : parallelFrom(calls, at)
    if (reads > MANY_READS) groups.push({ kind: 'reads', calls: calls.slice(at, at + reads) })
    else if (together > 1) groups.push({ kind: 'parallel', calls: calls.slice(at, at + together) })
    else groups.push({ kind: 'single', calls: [calls[at]!] })
    at += reads > MANY_READS ? reads : Math.max(1, together)
  }
  return groups
}

function readsFrom(calls: readonly ToolInvocation[], from: number): number {
  let count = 0
  while (from + count < calls.length && isDoneRead(calls[from + count]!)) count++
  return count
}

function isDoneRead(call: ToolInvocation): boolean {
  return /^read(?:_|$)/i.test(call.toolName) && describeCall(call).state === 'done'
}

/** How many calls from here on belong to one step. A call that waits for a person is always alone. */
function sameStepFrom(calls: readonly ToolInvocation[], steps: readonly number[], from: number): number {
  let count = 1
  if (waitsFor(calls[from]!)) return count
  while (steps[from + count] === steps[from] && !waitsFor(calls[from + count]!)) count++
  return count
}

/** How many calls from here on ran at the same time as one before them. */
function parallelFrom(calls: readonly ToolInvocation[], from: number): number {
  let count = 1
  // A call that waits for a person does not run, and is always alone.
  let end = waitsFor(calls[from]!) === undefined ? getEnd(calls[from]!) : undefined
  for (; from + count < calls.length; count++) {
    const call = calls[from + count]!
    const own = getEnd(call)
    if (call.startedAt === undefined || end === undefined || call.startedAt >= end || waitsFor(call)) break
    // If it ended before the first of them began, its times come from a different clock.
    if (own !== undefined && own <= calls[from]!.startedAt!) break
    end = own === undefined ? undefined : Math.max(end, own)
  }
  return count
}

/** When a call ended; never, while it is not settled. Undefined if there are no times. */
function getEnd(call: ToolInvocation): number | undefined {
  if (call.startedAt === undefined) return undefined
  return isSettled(call) ? call.endedAt : Number.POSITIVE_INFINITY
}
