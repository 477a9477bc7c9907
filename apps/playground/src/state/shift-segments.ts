import type { ViewSegment } from '../reading/view-at.ts'

/**
 * Maps the segments of `before` onto `after` until `after` has been read: whatever follows the change moves with it.
 */
export function shiftSegments(segments: readonly ViewSegment[], before: string, after: string): ViewSegment[] {
  if (before === after) return [...segments]
  const same = Math.min(before.length, after.length)
  let first = 0
  while (first < same && before.charCodeAt(first) === after.charCodeAt(first)) first++
  let last = 0
  while (
    last < same - first &&
    before.charCodeAt(before.length - 1 - last) === after.charCodeAt(after.length - 1 - last)
  )
    last++
  const change = after.length - before.length
  const end = before.length - last
  const move = (offset: number): number => (offset <= first ? offset : offset >= end ? offset + change : first)
  return segments
    .map(segment => ({ ...segment, start: move(segment.start), end: move(segment.end) }))
    .filter(({ start, end: stop }) => stop > start)
}
