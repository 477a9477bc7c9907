import type { ErrorCode } from '../../source/error.ts'
import type { Chunk, Envelope } from '../chunk.ts'
import * as limits from '../limits.ts'
import { jsonCopy } from '../well-formed-chunk.ts'

export interface SequencerState {
  /** Absent until the head of the stream is known. */
  next?: number
  held: [sequence: number, chunk: unknown][]
  eventIds: string[]
}

type Emit = (chunk: Chunk) => void
type ReportProblem = (code: ErrorCode, message: string) => void

/**
 * Puts enveloped chunks in order: duplicates are dropped, and chunks that come too early wait until the gap closes. The
 * head of a stream is the envelope with the `start` chunk or with the sequence 0; until it arrives, everything waits. A
 * chunk without an envelope or without a sequence passes immediately.
 */
export class Sequencer {
  #next: number | undefined
  readonly #held: Map<number, unknown>
  readonly #order: number[]
  readonly #eventIds: Set<string>
  readonly #emit: Emit
  readonly #report: ReportProblem

  constructor(emit: Emit, report: ReportProblem, state?: SequencerState) {
    this.#emit = emit
    this.#report = report
    this.#next = state?.next
    this.#held = new Map(state?.held)
    this.#order = [...this.#held.keys()].sort((a, b) => a - b)
    this.#eventIds = new Set(state?.eventIds)
  }

  push(envelope: Envelope): void {
    const { eventId, sequence, chunk } = envelope
    if (typeof eventId === 'string' && eventId.length <= limits.idLength) {
      if (this.#eventIds.has(eventId))
        return this.#report('STREAM_DUPLICATE', 'An event came a second time and was dropped.')
      if (this.#eventIds.size >= limits.eventIds) this.#eventIds.delete(this.#eventIds.values().next().value!)
      this.#eventIds.add(eventId)
    }
    if (sequence === undefined || sequence === null) return this.#emit(chunk)
    if (!Number.isSafeInteger(sequence)) {
      this.#report(
        'STREAM_BAD_SEQUENCE',
        "An envelope's `sequence` is not a whole number; its chunk was read in order of arrival.",
      )
      return this.#emit(chunk)
    }
    this.#place(sequence, chunk)
  }

  #place(sequence: number, chunk: Chunk): void {
    if (this.#next === undefined && (sequence === 0 || chunk?.type === 'start')) {
      this.#next = Math.min(sequence, this.#order[0] ?? sequence)
      if (this.#next < sequence) this.#drain()
    }
    if ((this.#next !== undefined && sequence < this.#next) || this.#held.has(sequence)) {
      return this.#report('STREAM_DUPLICATE', `Envelope ${sequence} came again or too late and was dropped.`)
    }
    if (sequence === this.#next) {
      this.#next++
      this.#emit(chunk)
      this.#drain()
      return
    }
    this.#held.set(sequence, jsonCopy(chunk))
    this.#order.splice(this.#countBelow(sequence), 0, sequence)
    if (this.#held.size > limits.envelopeGap) this.#skipGap()
  }

  /** Delivers the held chunks, oldest first, although something before them is missing. */
  end(): void {
    while (this.#held.size > 0) this.#skipGap()
  }

  #skipGap(): void {
    const first = this.#order[0]!
    const from = this.#next ?? 'the head'
    this.#report('STREAM_GAP', `Envelopes ${from} to ${first - 1} never arrived; the stream continues at ${first}.`)
    this.#next = first
    this.#drain()
  }

  #drain(): void {
    while (this.#next !== undefined && this.#held.has(this.#next)) {
      const chunk = this.#held.get(this.#next) as Chunk
      this.#order.splice(this.#countBelow(this.#next), 1)
      this.#held.delete(this.#next++)
      this.#emit(chunk)
    }
  }

  #countBelow(sequence: number): number {
    let low = 0
    let high = this.#order.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#order[middle]! < sequence) low = middle + 1
      else high = middle
    }
    return low
  }

  toJSON(): SequencerState {
    const state: SequencerState = { held: [...this.#held], eventIds: [...this.#eventIds] }
    if (this.#next !== undefined) state.next = this.#next
    return state
  }
}

/** True for `{ chunk }` objects, which are not chunks themselves. */
export function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && 'chunk' in value && !('type' in value)
}
