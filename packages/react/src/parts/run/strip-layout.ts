import type { StripCall } from './strip-call.ts'
import type { RunTimes } from './waits.ts'

/** A call on the time strip, in per cent of its width. */
export interface StripSegment {
  key: string
  name: string
  start: number
  width: number
  /** 0 is the upper lane; undefined means that there is only one. */
  lane: 0 | 1 | undefined
  tone: StripCall['tone']
}

/** A run's calls on a time line. Overlapping calls use two lanes; a third shares the second. */
export function stripLayout(calls: readonly StripCall[], begin: number, end: number): StripSegment[] {
  const length = Math.max(1, end - begin)
  const percent = (time: number) => Math.min(100, Math.max(0, ((time - begin) / length) * 100))
  const timed = calls.flatMap(call => {
    if (call.from === undefined) return []
    const from = percent(call.from)
    return [{ call, from, to: Math.max(from, percent(call.to ?? end)) }]
  })
  timed.sort((a, b) => a.from - b.from)
  const lanes = assignLanes(timed)
  return timed.map(({ call: { key, name, tone }, from, to }, index) => ({
    key,
    name,
    start: from,
    width: to - from,
    lane: lanes[index],
    tone,
  }))
}

/** The work between two waits, as a share of all work, and the length of the wait after it. */
export interface StripStretch {
  share: number
  segments: StripSegment[]
  wait: number | undefined
}

/** A run's calls on a time line without the waits. */
export function stripStretches(calls: readonly StripCall[], times: RunTimes): StripStretch[] {
  const workCalls = calls.flatMap(call => {
    if (call.from === undefined) return []
    const from = workedAt(call.from, times)
    return [{ ...call, from, to: Math.max(from, workedAt(call.to ?? times.end, times)) }]
  })
  const ends = [...times.waits.map(wait => workedAt(wait.from, times)), times.worked]
  return ends.map((end, index) => {
    const begin = ends[index - 1] ?? 0
    const isLast = index === ends.length - 1
    const inside = workCalls.filter(
      ({ from, to }) => (from < end || (isLast && from <= end)) && (to > begin || from >= begin),
    )
    const wait = times.waits[index]
    return {
      share: times.worked === 0 ? 1 : (end - begin) / times.worked,
      segments: stripLayout(inside, begin, end),
      wait: wait && wait.to - wait.from,
    }
  })
}

function workedAt(time: number, { begin, waits }: RunTimes): number {
  return waits.reduce((worked, { from, to }) => worked - Math.max(0, Math.min(time, to) - from), time - begin)
}

function assignLanes(timed: readonly { from: number; to: number }[]): (0 | 1 | undefined)[] {
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
