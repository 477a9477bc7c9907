import { type Chunk, isDataChunk, type LogLine } from './chunk.ts'
import { chunkFacts } from './chunk-table.ts'

export interface ResetRange {
  /** The offset of the chunk that began the step, which is not taken back itself. */
  step: number
  reset: number
}

/** Finds steps that were taken back. O(1) per chunk. */
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
 * Reads a log for a reader that can't take parts back. `skip`: the chunk was taken back, or belongs to the seam around
 * such chunks. `stop`: the chunk takes back something that the reader already has, so the reader has to start again.
 */
export class ResetFilter {
  #ranges: readonly ResetRange[]
  #next = 0
  /** Calls and data parts that began before the open step. A reset keeps changes to them. */
  readonly #older: Set<string> = new Set()
  readonly #inStep: Set<string> = new Set()
  #hasParts = false
  /** The step was taken back, so the chunk that begins it again isn't kept. */
  #isReset = false

  constructor(ranges: readonly ResetRange[] = []) {
    this.#ranges = ranges
  }

  /** Sets the steps that were taken back so far. Ranges before the last line that was read must not change. */
  update(ranges: readonly ResetRange[]): void {
    this.#ranges = ranges
  }

  take({ o, chunk }: Pick<LogLine, 'o' | 'chunk'>): 'keep' | 'skip' | 'stop' {
    const { on, does } = chunkFacts(chunk)
    if (does === 'resets') return this.#reset(o)
    if (does === 'describes') return 'keep'
    const name = toPartKey(chunk)
    const isOlder = name !== undefined && this.#older.has(name)
    if (this.#isTakenBack(o) && !isOlder) return 'skip'
    const isRepeatedStart = this.#isReset && on === 'step' && does === 'opens'
    if (!isTransient(chunk) && on !== 'message') this.#isReset = false
    if (isRepeatedStart) return 'skip'
    if (does === 'opens' && (on === 'step' || on === 'message')) this.#openStep()
    else if (!isOlder && on !== 'step' && on !== 'message' && !isTransient(chunk)) this.#hasParts = true
    if (name !== undefined) this.#inStep.add(name)
    return 'keep'
  }

  #openStep(): void {
    for (const name of this.#inStep) this.#older.add(name)
    this.#inStep.clear()
    this.#hasParts = false
  }

  #reset(offset: number): 'skip' | 'stop' {
    if (this.#hasParts && !this.#ranges.some(({ reset }) => reset === offset)) return 'stop'
    this.#isReset = true
    this.#hasParts = false
    return 'skip'
  }

  #isTakenBack(offset: number): boolean {
    while (this.#next < this.#ranges.length && this.#ranges[this.#next]!.reset < offset) this.#next++
    const range = this.#ranges[this.#next]
    return range !== undefined && range.step < offset
  }
}

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

function toPartKey(chunk: Chunk): string | undefined {
  if ('toolCallId' in chunk) return `call ${chunk.toolCallId}`
  return isDataChunk(chunk) && 'id' in chunk ? `${chunk.type} ${chunk.id}` : undefined
}
