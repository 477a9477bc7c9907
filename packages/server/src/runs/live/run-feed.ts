import { endsRun, type RunLogs } from '@argot/agent/internal'
import type { Chunk } from '@argot/core'
import { isInternalMark, type LogLine } from '@argot/core/stream'
import { cutChunk } from '../cut-result.ts'

const utf8 = new TextEncoder()

/** How many characters of a run are kept in memory for those who read along; who is behind reads the log. */
const KEPT = 512 * 1024

/** This many lines at a time at most, and about this many characters. */
const MOST_LINES = 256
const BATCH = 64 * 1024

/** A line of a log, written once for all who read it. */
export interface FeedLine extends LogLine {
  /** The chunk as JSON. */
  json: string
  /** The line as an event, in bytes, for whoever needs it as it is; made when it is first asked for. */
  readonly event: Uint8Array
}

/** A line for any number of readers. */
export function feedLine(o: number, t: number, chunk: Chunk): FeedLine {
  const json = JSON.stringify(chunk)
  let bytes: Uint8Array | undefined
  return {
    o,
    t,
    chunk,
    json,
    get event() {
      bytes ??= utf8.encode(`id: ${o}\ndata: ${json}\n\n`)
      return bytes
    },
  }
}

/**
 * The lines of one run for any number of readers. The newest are kept while anyone reads; a reader that is slow never holds
 * up the run, nor grows the memory: what is no longer here it reads from the log.
 */
export class RunFeed {
  readonly #logs: RunLogs
  readonly #run: string
  readonly #resultBytes: number
  /** The offset of the line that comes next. */
  readonly #next: () => number
  /** The newest lines. */
  #lines: FeedLine[] = []
  #size = 0
  /** The offset from which on `#lines` has everything. */
  #from = 0
  #isOver = false
  #isClosed = false
  #readers = 0
  #wake: Set<() => void> = new Set()

  constructor(logs: RunLogs, run: string, resultBytes: number, next: () => number) {
    this.#logs = logs
    this.#run = run
    this.#resultBytes = resultBytes
    this.#next = next
  }

  get hasReaders(): boolean {
    return this.#readers > 0
  }

  /** Lines that the log has now. */
  add(lines: readonly LogLine[]): void {
    for (const line of lines) {
      if (this.#isOver) break
      if (this.#readers > 0 && !isInternalMark(line.chunk)) this.#keep(this.#toLine(line))
      this.#isOver = endsRun(line.chunk)
    }
    this.#tell()
  }

  /** The readers come to their end, as if each had left. */
  close(): void {
    this.#isClosed = true
    this.#tell()
  }

  /** The lines from an offset on, as many at a time as there are, until the run has ended. Ends with the signal. */
  async *read(from: number, signal: AbortSignal): AsyncGenerator<readonly FeedLine[]> {
    if (this.#readers++ === 0) this.#begin()
    // One for the whole stream: what is waited for thousands of times is cheap.
    let wake = (): void => {}
    const left = (): void => wake()
    signal.addEventListener('abort', left)
    const wait = (resolve: () => void): void => {
      wake = resolve
      this.#wake.add(resolve)
    }
    try {
      let next = from
      while (!signal.aborted && !this.#isClosed) {
        if (next < this.#from) {
          for await (const lines of this.#older(next, signal)) {
            yield lines
            next = lines.at(-1)!.o + 1
          }
          next = Math.max(next, this.#from)
          continue
        }
        const start = this.#indexOf(next)
        if (start < this.#lines.length) {
          const lines = this.#lines.slice(start, this.#endOf(start))
          yield lines
          next = lines.at(-1)!.o + 1
          continue
        }
        if (this.#isOver) return
        await new Promise<void>(wait)
        this.#wake.delete(wake)
      }
    } finally {
      signal.removeEventListener('abort', left)
      if (--this.#readers === 0) this.#begin()
    }
  }

  /** What was written until now is in the log. */
  #begin(): void {
    this.#lines = []
    this.#size = 0
    this.#from = this.#next()
  }

  /** What is no longer in memory: from the log, up to where memory begins. */
  async *#older(from: number, signal: AbortSignal): AsyncGenerator<readonly FeedLine[]> {
    const until = this.#from
    let lines: FeedLine[] = []
    let size = 0
    for await (const news of this.#logs.watch(this.#run, from, signal)) {
      const older = news.lines.filter(({ o }) => o < until)
      for (const line of older) {
        if (isInternalMark(line.chunk)) continue
        const one = this.#toLine(line)
        lines.push(one)
        size += one.json.length
        if (size < BATCH && lines.length < MOST_LINES) continue
        yield lines
        lines = []
        size = 0
      }
      const isAll = older.length < news.lines.length || news.state !== undefined
      if (isAll || older.some(({ chunk }) => endsRun(chunk))) break
    }
    if (lines.length > 0) yield lines
  }

  #keep(line: FeedLine): void {
    this.#lines.push(line)
    this.#size += line.json.length
    if (this.#size > KEPT * 2) this.#trim()
  }

  #trim(): void {
    let cut = 0
    while (this.#size > KEPT && cut < this.#lines.length - 1) this.#size -= this.#lines[cut++]!.json.length
    this.#lines = this.#lines.slice(cut)
    this.#from = this.#lines[0]!.o
  }

  /** Offsets may have gaps. */
  #indexOf(offset: number): number {
    let low = 0
    let high = this.#lines.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#lines[middle]!.o < offset) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Where a batch ends: a reader that does not read keeps no more than one. */
  #endOf(start: number): number {
    let end = start + 1
    let size = this.#lines[start]!.json.length
    while (end < this.#lines.length && end - start < MOST_LINES && size < BATCH) size += this.#lines[end++]!.json.length
    return end
  }

  #tell(): void {
    const wake = this.#wake
    if (wake.size === 0) return
    this.#wake = new Set()
    for (const one of wake) one()
  }

  #toLine({ o, t, chunk: whole }: LogLine): FeedLine {
    const chunk = cutChunk(whole, this.#resultBytes)
    return feedLine(o, t, chunk)
  }
}
