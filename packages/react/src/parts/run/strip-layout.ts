import type { ToolInvocation } from '@argot/core'
import { isSettled, waitsFor } from '@argot/core/stream'
import { describeCall } from '../../hooks/words.ts'

/** A call on the time strip, in per cent of its width. */
export interface StripSegment {
  key: string
  start: number
  width: number
  /** 0 is the upper lane; undefined is the only one. */
  lane: 0 | 1 | undefined
  tone: 'done' | 'live' | 'fail' | 'wait'
}

/**
 * The calls of a run on a line of time. Calls that overlap have two lanes; a third shares the second. Those in `answered`
 * ask, and nobody waits for them.
 */
export function stripLayout(
  calls: readonly ToolInvocation[],
  begin: number,
  end: number,
  answered?: ReadonlySet<string>,
): StripSegment[] {
  const length = Math.max(1, end - begin)
  const percent = (time: number) => Math.min(100, Math.max(0, ((time - begin) / length) * 100))
  const timed = calls.flatMap(call => {
    if (call.startedAt === undefined) return []
    const from = percent(call.startedAt)
    const to = percent(call.endedAt ?? end)
    return [{ call, from, to: Math.max(from, to) }]
  })
  timed.sort((a, b) => a.from - b.from)
  const lanes = lanesOf(timed)
  return timed.map(({ call, from, to }, index) => ({
    key: call.key,
    start: from,
    width: to - from,
    lane: lanes[index],
    tone: answered?.has(call.key) ? 'done' : toneOf(call),
  }))
}

/** The calls that overlap with another, on the first lane that is free. */
function lanesOf(timed: readonly { from: number; to: number }[]): (0 | 1 | undefined)[] {
  const ends = [-1, -1]
  const lanes = timed.map(({ from, to }): 0 | 1 => {
    const lane = from >= ends[0]! ? 0 : 1
    ends[lane] = Math.max(ends[lane]!, to)
    return lane
  })
  let furthest = -1
  return lanes.map((lane, index) => {
    const { from, to } = timed[index]!
    const next = timed[index + 1]
    const isAlone = from >= furthest && (next === undefined || next.from >= to)
    furthest = Math.max(furthest, to)
    return isAlone ? undefined : lane
  })
}

function toneOf(call: ToolInvocation): StripSegment['tone'] {
  const { state } = describeCall(call)
  if (state === 'failed' || state === 'broken') return 'fail'
  if (waitsFor(call) !== undefined) return 'wait'
  return isSettled(call) ? 'done' : 'live'
}
