export interface DiffRun {
  kind: 'same' | 'added' | 'removed'
  lines: readonly string[]
}

/** A stretch with more edits than this is treated as replaced. */
const MOST_EDITS = 600

/**
 * How one text became another, line by line. A generator that yields between pieces of work and returns the runs, so
 * that a long diff can be computed in slices. Lines that occur once in both texts are its anchors. Between them it is
 * minimal if the stretch has at most 600 edits.
 */
export function* lineDiff(before: readonly string[], after: readonly string[]): Generator<undefined, DiffRun[]> {
  const runs: DiffRun[] = []
  yield* diffRange(before, after, runs)
  return mergeRuns(runs)
}

function* diffRange(before: readonly string[], after: readonly string[], runs: DiffRun[]): Generator<undefined> {
  const start = commonStart(before, after)
  if (start > 0) runs.push({ kind: 'same', lines: before.slice(0, start) })
  const end = commonEnd(before, after, start)
  const old = before.slice(start, before.length - end)
  const now = after.slice(start, after.length - end)
  if (old.length === 0 || now.length === 0) replace(old, now, runs)
  else {
    const anchors = findAnchors(old, now)
    yield
    if (anchors.length === 0) yield* shortestEdits(old, now, runs)
    else yield* betweenAnchors(old, now, anchors, runs)
  }
  if (end > 0) runs.push({ kind: 'same', lines: before.slice(before.length - end) })
}

function* betweenAnchors(
  old: readonly string[],
  now: readonly string[],
  anchors: readonly Anchor[],
  runs: DiffRun[],
): Generator<undefined> {
  let [oldAt, nowAt] = [0, 0]
  for (const anchor of anchors) {
    yield* diffRange(old.slice(oldAt, anchor.old), now.slice(nowAt, anchor.now), runs)
    runs.push({ kind: 'same', lines: [old[anchor.old]!] })
    oldAt = anchor.old + 1
    nowAt = anchor.now + 1
  }
  yield* diffRange(old.slice(oldAt), now.slice(nowAt), runs)
}

interface Anchor {
  old: number
  now: number
}

/** The longest list of lines that occur once in each text, in the same order. */
function findAnchors(old: readonly string[], now: readonly string[]): Anchor[] {
  const oldPlaces = uniquePlaces(old)
  const nowPlaces = uniquePlaces(now)
  const pairs: Anchor[] = []
  for (const [line, at] of oldPlaces) {
    const there = nowPlaces.get(line)
    if (at >= 0 && there !== undefined && there >= 0) pairs.push({ old: at, now: there })
  }
  return longestRising(pairs.sort((a, b) => a.old - b.old))
}

/** Each line's index; -1 for one that occurs again. */
function uniquePlaces(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  lines.forEach((line, at) => {
    places.set(line, places.has(line) ? -1 : at)
  })
  return places
}

function longestRising(pairs: readonly Anchor[]): Anchor[] {
  const tops: number[] = []
  const before: number[] = []
  pairs.forEach((pair, index) => {
    let [low, high] = [0, tops.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[tops[middle]!]!.now < pair.now) low = middle + 1
      else high = middle
    }
    before[index] = low === 0 ? -1 : tops[low - 1]!
    tops[low] = index
  })
  const chain: Anchor[] = []
  for (let at = tops.at(-1) ?? -1; at >= 0; at = before[at]!) chain.push(pairs[at]!)
  return chain.reverse()
}

/** The shortest edit script (Myers), up to the limit. */
function* shortestEdits(old: readonly string[], now: readonly string[], runs: DiffRun[]): Generator<undefined> {
  const limit = Math.min(old.length + now.length, MOST_EDITS)
  const trace: Int32Array[] = []
  let ends = new Int32Array(2 * limit + 3)
  for (let edits = 0; edits <= limit; edits++) {
    if (edits % 32 === 31) yield
    trace.push(ends.slice())
    ends = furthest(old, now, edits, limit, ends)
    if (reachesEnd(ends, old, now, limit)) {
      runs.push(...traceBack(old, now, trace, limit))
      return
    }
  }
  replace(old, now, runs)
}

function furthest(
  old: readonly string[],
  now: readonly string[],
  edits: number,
  offset: number,
  before: Int32Array<ArrayBuffer>,
): Int32Array<ArrayBuffer> {
  const ends = before.slice()
  for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
    const at = diagonal + offset + 1
    let x = goesDown(before, diagonal, edits, at) ? before[at + 1]! : before[at - 1]! + 1
    while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++
    ends[at] = x
  }
  return ends
}

function goesDown(ends: Int32Array, diagonal: number, edits: number, at: number): boolean {
  return diagonal === -edits || (diagonal !== edits && ends[at - 1]! < ends[at + 1]!)
}

function reachesEnd(ends: Int32Array, old: readonly string[], now: readonly string[], offset: number): boolean {
  const at = old.length - now.length + offset + 1
  return at >= 0 && at < ends.length && ends[at]! >= old.length
}

function traceBack(
  old: readonly string[],
  now: readonly string[],
  trace: readonly Int32Array[],
  offset: number,
): DiffRun[] {
  const runs: DiffRun[] = []
  let [x, y] = [old.length, now.length]
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const ends = trace[edits]!
    const diagonal = x - y
    const at = diagonal + offset + 1
    const down = goesDown(ends, diagonal, edits, at)
    const fromX = down ? ends[at + 1]! : ends[at - 1]!
    const fromY = fromX - (down ? diagonal + 1 : diagonal - 1)
    const same = Math.min(x - fromX - (down ? 0 : 1), y - fromY - (down ? 1 : 0))
    if (same > 0) runs.push({ kind: 'same', lines: old.slice(x - same, x) })
    runs.push(down ? { kind: 'added', lines: [now[fromY]!] } : { kind: 'removed', lines: [old[fromX]!] })
    x = fromX
    y = fromY
  }
  if (x > 0) runs.push({ kind: 'same', lines: old.slice(0, x) })
  return runs.reverse()
}

function replace(old: readonly string[], now: readonly string[], runs: DiffRun[]): void {
  if (old.length > 0) runs.push({ kind: 'removed', lines: old })
  if (now.length > 0) runs.push({ kind: 'added', lines: now })
}

/** Joins neighbours of one kind into one run, and between unchanged runs puts removed lines before added ones. */
function mergeRuns(runs: readonly DiffRun[]): DiffRun[] {
  const result: DiffRun[] = []
  let removed: string[] = []
  let added: string[] = []
  const flush = () => {
    replace(removed, added, result)
    removed = []
    added = []
  }
  for (const { kind, lines } of runs) {
    if (kind === 'removed') removed = [...removed, ...lines]
    else if (kind === 'added') added = [...added, ...lines]
    else {
      flush()
      const last = result.at(-1)
      if (last?.kind === 'same') result[result.length - 1] = { kind, lines: [...last.lines, ...lines] }
      else result.push({ kind, lines })
    }
  }
  flush()
  return result
}

function commonStart(before: readonly string[], after: readonly string[]): number {
  let at = 0
  while (at < before.length && at < after.length && before[at] === after[at]) at++
  return at
}

function commonEnd(before: readonly string[], after: readonly string[], start: number): number {
  let count = 0
  while (
    count < before.length - start &&
    count < after.length - start &&
    before[before.length - 1 - count] === after[after.length - 1 - count]
  )
    count++
  return count
}
