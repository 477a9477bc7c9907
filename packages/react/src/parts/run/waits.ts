import type { StripCall } from './strip-call.ts'

/** A period of waiting for a person, in milliseconds since 1970; without `to`, it continues. */
export interface Wait {
  from: number
  to?: number | undefined
}

/** By call key. */
export type Waits = ReadonlyMap<string, Wait>

/** A shorter wait is ignored: it is just the time of a click. */
const SHORTEST_WAIT = 1000

export interface RunTimes {
  begin: number
  end: number
  /** In order, without overlaps. */
  waits: readonly { from: number; to: number }[]
  waited: number
  worked: number
}

export function runTimes(calls: readonly StripCall[], waits: Waits, begin: number, end: number): RunTimes {
  const merged: { from: number; to: number }[] = []
  const all = [...waits.values()].map(({ from, to = end }) => ({ from: Math.max(begin, from), to: Math.min(end, to) }))
  for (const wait of all.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last !== undefined && wait.from <= last.to) last.to = Math.max(last.to, wait.to)
    else merged.push(wait)
  }
  const idle = merged.flatMap(wait => withoutWork(wait, calls, waits, end)).filter(isLong)
  const waited = idle.reduce((sum, { from, to }) => sum + to - from, 0)
  return { begin, end, waits: idle, waited, worked: Math.max(0, end - begin - waited) }
}

function isLong({ from, to }: { from: number; to: number }): boolean {
  return to - from >= SHORTEST_WAIT
}

/** The parts of a wait during which no other call ran. */
function withoutWork(
  wait: { from: number; to: number },
  calls: readonly StripCall[],
  waits: Waits,
  end: number,
): { from: number; to: number }[] {
  let rest = [wait]
  for (const { key, from: startedAt, to: endedAt = end } of calls) {
    if (startedAt === undefined || waits.has(key)) continue
    rest = rest.flatMap(({ from, to }) => {
      if (endedAt <= from || startedAt >= to) return [{ from, to }]
      return [
        { from, to: startedAt },
        { from: endedAt, to },
      ].filter(one => one.to > one.from)
    })
  }
  return rest
}
