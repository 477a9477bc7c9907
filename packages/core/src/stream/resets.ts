import { type Chunk, isDataChunk, type LogLine } from './chunk.ts'
import { chunkFacts } from './chunk-table.ts'

/** The lines of a log that a `reset-step` took back. */
export interface ResetRange {
  /** The offset of the chunk that began the step; it is not taken back. */
  step: number
  /** The offset of the `reset-step`. */
  reset: number
}

/** Watches a log for the steps that were taken back. O(1) per chunk. */
export class ResetWatch {
  readonly ranges: ResetRange[] = []
  #step = -1

  watch(chunk: Chunk, offset: number): void {
    const { on, does } = chunkFacts(chunk)
    if (does === 'opens' && (on === 'step' || on === 'message')) this.#step = offset
    else if (does === 'resets') this.ranges.push({ step: this.#step, reset: offset })
  }
}

/**
 * Reads a log for a reader that can't take parts back. `skip`: the chunk was taken back, or belongs to the seam around what was.
 * `stop`: the chunk takes back something that the reader has already, so the reader has to begin again.
 */
export class ResetFilter {
  #ranges: readonly ResetRange[]
  #next = 0
  /** The calls and data parts that began before the open step. A reset leaves news about them in place. */
  readonly #older: Set<string> = new Set()
  readonly #ofStep: Set<string> = new Set()
  /** The reader has a part of the open step. */
  #hasParts = false
  /** The step was taken back: the chunk that begins it again isn't kept. */
  #isReset = false

  constructor(ranges: readonly ResetRange[] = []) {
    this.#ranges = ranges
  }

  /** The steps that were taken back by now; those before the last line that was taken are the same. */
  update(ranges: readonly ResetRange[]): void {
    this.#ranges = ranges
  }

  take({ o, chunk }: Pick<LogLine, 'o' | 'chunk'>): 'keep' | 'skip' | 'stop' {
    const { on, does } = chunkFacts(chunk)
    if (does === 'resets') return this.#reset(o)
    if (does === 'describes') return 'keep'
    const name = toPartName(chunk)
    const isOlder = name !== undefined && this.#older.has(name)
    if (this.#isTakenBack(o) && !isOlder) return 'skip'
    const isAgain = this.#isReset && on === 'step' && does === 'opens'
    if (!isTransient(chunk) && on !== 'message') this.#isReset = false
    if (isAgain) return 'skip'
    if (does === 'opens' && (on === 'step' || on === 'message')) this.#openStep()
    else if (!isOlder && on !== 'step' && on !== 'message' && !isTransient(chunk)) this.#hasParts = true
    if (name !== undefined) this.#ofStep.add(name)
    return 'keep'
  }

  #openStep(): void {
    for (const name of this.#ofStep) this.#older.add(name)
    this.#ofStep.clear()
    this.#hasParts = false
  }

  #reset(offset: number): 'skip' | 'stop' {
    if (this.#hasParts && !this.#ranges.some(({ reset }) => reset === offset)) return 'stop'
    this.#isReset = true
    this.#hasParts = false
    return 'skip'
  }

  /** Whether a reset that is known takes this line back. */
  #isTakenBack(offset: number): boolean {
    while (this.#next < this.#ranges.length && this.#ranges[this.#next]!.reset < offset) this.#next++
    const range = this.#ranges[this.#next]
    return range !== undefined && range.step < offset
  }
}

/** The lines of a log without what a later `reset-step` took back. */
export function withoutResets(log: Iterable<LogLine>): LogLine[] {
  const lines = [...log]
  const watch = new ResetWatch()
  for (const [index, { chunk }] of lines.entries()) watch.watch(chunk, index)
  const filter = new ResetFilter(watch.ranges)
  return lines.filter(({ chunk }, index) => filter.take({ o: index, chunk }) === 'keep')
}

function isTransient(chunk: Chunk): boolean {
  return isDataChunk(chunk) && chunk.transient === true
}

function toPartName(chunk: Chunk): string | undefined {
  if ('toolCallId' in chunk) return `call ${chunk.toolCallId}`
  return isDataChunk(chunk) && 'id' in chunk ? `${chunk.type} ${chunk.id}` : undefined
}
