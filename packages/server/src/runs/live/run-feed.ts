import { endsRun, type RunLogs } from '@argot/agent/internal'
import type { Chunk } from '@argot/core'
import { isInternalMark, type LogLine } from '@argot/core/stream'
import { cutChunk } from '../cut-result.ts'

const utf8 = new TextEncoder()

/**
 * The newest characters of a run that are kept in memory for readers, at most twice as many. Slower readers read the
 * log.
 */
const KEPT_CHARACTERS = 512 * 1024

/** The maximum number of lines per batch, and roughly the maximum number of characters. */
const MOST_LINES = 256
const BATCH_CHARACTERS = 64 * 1024

/** A log line, written once for all readers. */
export interface FeedLine extends LogLine {
  json: string
  /** The line as an event, in bytes, for clients that need it unchanged. Created on first use. */
  readonly event: Uint8Array
}

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
 * One run's lines for any number of readers. The newest are kept while anyone reads. A slow reader never delays the run
 * or increases memory: it reads older lines from the log.
 */
export class RunFeed {
  readonly #logs: RunLogs
  readonly #run: string
  readonly #resultBytes: number
  readonly #next: () => number
  #lines: FeedLine[] = []
  #size = 0
  /** `#lines` has everything from this offset on. */
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

  add(lines: readonly LogLine[]): void {
    for (const line of lines) {
      if (this.#isOver) break
      if (this.#readers > 0 && !isInternalMark(line.chunk)) this.#keep(this.#toLine(line))
      this.#isOver = endsRun(line.chunk)
    }
    this.#tell()
  }

  close(): void {
    this.#isClosed = true
    this.#tell()
  }

  /**
   * The lines from an offset on, as many per batch as are available, until the run has ended. Also ends with the signal,
   * and when the log is no longer there: then it returns the offset to continue at.
   */
  async *read(from: number, signal: AbortSignal): AsyncGenerator<readonly FeedLine[], number | undefined> {
    if (this.#readers++ === 0) this.#begin()
    // One for the whole stream, because this waits thousands of times.
    let wake = (): void => {}
    const onAbort = (): void => wake()
    signal.addEventListener('abort', onAbort)
    const wait = (resolve: () => void): void => {
      wake = resolve
      this.#wake.add(resolve)
    }
    let next = from
    try {
      while (!signal.aborted && !this.#isClosed) {
        if (next < this.#from) {
          const until = this.#from
          let isAll = false
          const onAll = (): void => {
            isAll = true
          }
          for await (const lines of this.#readOlder(next, until, signal, onAll)) {
            yield lines
            next = lines.at(-1)!.o + 1
          }
          if (!isAll) return next
          next = Math.max(next, until)
          continue
        }
        const start = this.#findIndex(next)
        if (start < this.#lines.length) {
          const lines = this.#lines.slice(start, this.#findBatchEnd(start))
          yield lines
          next = lines.at(-1)!.o + 1
          continue
        }
        if (this.#isOver) return undefined
        await new Promise<void>(wait)
        this.#wake.delete(wake)
      }
      return next
    } finally {
      signal.removeEventListener('abort', onAbort)
      if (--this.#readers === 0) this.#begin()
    }
  }

  /** Everything written until now is in the log. */
  #begin(): void {
    this.#lines = []
    this.#size = 0
    this.#from = this.#next()
  }

  /** Calls `onAll` before the last batch, unless the log was gone before that. */
  async *#readOlder(
    from: number,
    until: number,
    signal: AbortSignal,
    onAll: () => void,
  ): AsyncGenerator<readonly FeedLine[]> {
    let lines: FeedLine[] = []
    let size = 0
    for await (const news of this.#logs.watch(this.#run, from, signal)) {
      const older = news.lines.filter(({ o }) => o < until)
      for (const line of older) {
        if (isInternalMark(line.chunk)) continue
        const olderLine = this.#toLine(line)
        lines.push(olderLine)
        size += olderLine.json.length
        if (size < BATCH_CHARACTERS && lines.length < MOST_LINES) continue
        yield lines
        lines = []
        size = 0
      }
      const isAll = older.length < news.lines.length || news.state !== undefined
      if (!isAll && !older.some(({ chunk }) => endsRun(chunk))) continue
      onAll()
      break
    }
    if (lines.length > 0) yield lines
  }

  #keep(line: FeedLine): void {
    this.#lines.push(line)
    this.#size += line.json.length
    if (this.#size > KEPT_CHARACTERS * 2) this.#trim()
  }

  #trim(): void {
    let cut = 0
    while (this.#size > KEPT_CHARACTERS && cut < this.#lines.length - 1) this.#size -= this.#lines[cut++]!.json.length
    this.#lines = this.#lines.slice(cut)
    this.#from = this.#lines[0]!.o
  }

  /** Offsets may have gaps. */
  #findIndex(offset: number): number {
    let low = 0
    let high = this.#lines.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#lines[middle]!.o < offset) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The end of a batch. A reader that doesn't read holds at most one. */
  #findBatchEnd(start: number): number {
    let end = start + 1
    let size = this.#lines[start]!.json.length
    while (end < this.#lines.length && end - start < MOST_LINES && size < BATCH_CHARACTERS)
      size += this.#lines[end++]!.json.length
    return end
  }

  #tell(): void {
    const wake = this.#wake
    if (wake.size === 0) return
    this.#wake = new Set()
    for (const resolve of wake) resolve()
  }

  #toLine({ o, t, chunk: whole }: LogLine): FeedLine {
    const chunk = cutChunk(whole, this.#resultBytes)
    return feedLine(o, t, chunk)
  }
}
