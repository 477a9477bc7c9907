import { accumulate, isToolPart } from '@argot/core'
import type { CallReading, Reading, Segment, SegmentKind } from './reading.ts'

export interface ViewSegment extends Omit<Segment, 'kind'> {
  /** `held`: the reader does not know yet what it is. `writing`: a call that has not ended. */
  kind: SegmentKind | 'held' | 'writing'
}

export interface ReadingView {
  cut: number
  /** Up to here, the reader has decided what the text is. */
  decided: number
  isEnded: boolean
  segments: ViewSegment[]
  chunks: number
}

/** What is known about a reply after `cut` characters. At full length, the reply has ended. */
export function viewAt(reading: Reading, cut: number): ReadingView {
  const isEnded = cut >= reading.length
  const events = eventsUntil(reading, isEnded ? reading.length + 1 : cut)
  const chunks = events.reduce((sum, event) => sum + event.chunks.length, 0)
  if (isEnded) return { cut, decided: reading.length, isEnded, segments: reading.segments, chunks }
  const decided = Math.min(cut, events.at(-1)?.end ?? 0)
  return { cut, decided, isEnded, segments: segmentsAt(reading, cut, decided), chunks }
}

export function eventsUntil(reading: Reading, cut: number): Reading['events'] {
  let low = 0
  let high = reading.events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (reading.events[middle]!.at <= cut) low = middle + 1
    else high = middle
  }
  return reading.events.slice(0, low)
}

function segmentsAt(reading: Reading, cut: number, decided: number): ViewSegment[] {
  const segments: ViewSegment[] = []
  for (const segment of reading.segments) {
    if (segment.start >= cut) break
    segments.push(...clip(reading, segment, cut, decided))
  }
  return segments
}

function clip(reading: Reading, segment: Segment, cut: number, decided: number): ViewSegment[] {
  const end = Math.min(segment.end, cut)
  if (segment.kind === 'call') return [clipCall(reading.calls[segment.index ?? -1], segment, cut, end)]
  if (end <= decided) return [{ ...segment, end }]
  const rest: ViewSegment = { kind: 'held', start: Math.max(segment.start, decided), end }
  return decided > segment.start ? [{ ...segment, end: decided }, rest] : [rest]
}

function clipCall(call: CallReading | undefined, segment: Segment, cut: number, end: number): ViewSegment {
  if (call === undefined || cut < call.openedAt) return { kind: 'held', start: segment.start, end }
  return { ...segment, kind: cut < call.settledAt ? 'writing' : 'call', end }
}

export function partialInput(reading: Reading, call: CallReading, cut: number): unknown {
  const fold = accumulate()
  for (const { chunks } of eventsUntil(reading, cut)) {
    for (const chunk of chunks) if ('toolCallId' in chunk && chunk.toolCallId === call.id) fold.push(chunk)
  }
  const part = fold.message?.parts.find(isToolPart)
  return part?.toolInvocation.input
}
