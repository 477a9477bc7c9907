import type { RunLogs } from '@argot/agent/internal'
import type { Chunk } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import { cutChunk } from '../cut-result.ts'

const utf8 = new TextEncoder()

/** How many characters of a run are kept in memory for those who read along; who is behind reads the log. */
const KEPT = 512 * 1024

/** This many lines at a time at most, and this many characters of those that come from the log. */
const MOST_LINES = 256
const OLDER = 64 * 1024

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
 * The lines of one run for any number of readers: one of them follows the log, the others read along. A reader that is
 * slow never holds up the run, nor grows the memory: what is no longer here it reads from the log.
 */
export class RunFeed {
  readonly #logs: RunLogs
  readonly #run: string
  readonly #resultBytes: number
  readonly #onIdle: () => void
  readonly #stop: AbortController = new AbortController()
  /** The newest lines. */
  #lines: FeedLine[] = []
  #size = 0
  /** The offset from which on `#lines` has everything. */
  #from = 0
  #isOver = false
  #error: unknown
  #readers = 0
  #wake: Set<() => void> = new Set()

  constructor(logs: RunLogs, run: string, resultBytes: number, onIdle: () => void) {
    this.#logs = logs
    this.#resultBytes = resultBytes
    this.#run = run
    this.#onIdle = onIdle
    void this.#follow()
  }

  /** The lines from an offset on, as many at a time as there are, until the run has ended. Ends with the signal. */
  async *read(from: number, signal: AbortSignal): AsyncGenerator<readonly FeedLine[]> {
    this.#readers++
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
      while (!signal.aborted) {
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
          const lines = this.#lines.slice(start, start + MOST_LINES)
          yield lines
          next = lines.at(-1)!.o + 1
          continue
        }
        if (this.#error !== undefined) throw this.#error
        if (this.#isOver) return
        await new Promise<void>(wait)
        this.#wake.delete(wake)
      }
    } finally {
      signal.removeEventListener('abort', left)
      this.#readers--
      if (this.#readers === 0) this.#onIdle()
    }
  }

  close(): void {
    this.#stop.abort()
  }

  /** What is no longer in memory: from the log, up to where memory begins. */
  async *#older(from: number, signal: AbortSignal): AsyncGenerator<readonly FeedLine[]> {
    const until = this.#from
    let lines: FeedLine[] = []
    let size = 0
    for await (const line of this.#logs.follow(this.#run, from, signal)) {
      if (line.o >= until) break
      const one = this.#toLine(line)
      lines.push(one)
      size += one.json.length
      if (size < OLDER && lines.length < MOST_LINES) continue
      yield lines
      lines = []
      size = 0
    }
    if (lines.length > 0) yield lines
  }

  async #follow(): Promise<void> {
    try {
      for await (const line of this.#logs.follow(this.#run, 0, this.#stop.signal)) this.#add(this.#toLine(line))
      this.#isOver = true
    } catch (error) {
      this.#error = error
    }
    this.#tell()
  }

  #add(line: FeedLine): void {
    this.#lines.push(line)
    this.#size += line.json.length
    if (this.#size > KEPT * 2) this.#trim()
    this.#tell()
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
