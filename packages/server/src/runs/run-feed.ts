import type { RunLogs } from '@argot/agent'
import type { LogLine } from 'argot'
import { cutChunk } from './cut-result.ts'

/** How many characters of a run are kept in memory for those who read along; who is behind reads the log. */
const KEPT = 512 * 1024

/** A line of a log, written once for all who read it. */
export interface FeedLine extends LogLine {
  /** The chunk as JSON. */
  json: string
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

  get readers(): number {
    return this.#readers
  }

  /** The lines from an offset on, as many at a time as there are, until the run has ended. Ends with the signal. */
  async *read(from: number, signal: AbortSignal): AsyncGenerator<readonly FeedLine[]> {
    this.#readers++
    try {
      let next = from
      while (!signal.aborted) {
        if (next < this.#from) {
          for await (const line of this.#older(next, signal)) {
            yield [line]
            next = line.o + 1
          }
          next = Math.max(next, this.#from)
          continue
        }
        const start = this.#indexOf(next)
        const lines = this.#lines.slice(start, start + 256)
        if (lines.length > 0) {
          yield lines
          next = lines.at(-1)!.o + 1
          continue
        }
        if (this.#error !== undefined) throw this.#error
        if (this.#isOver) return
        await this.#change(signal)
      }
    } finally {
      this.#readers--
      if (this.#readers === 0) this.#onIdle()
    }
  }

  close(): void {
    this.#stop.abort()
  }

  /** What is no longer in memory: from the log, up to where memory begins. */
  async *#older(from: number, signal: AbortSignal): AsyncGenerator<FeedLine> {
    const until = this.#from
    for await (const line of this.#logs.follow(this.#run, from, signal)) {
      if (line.o >= until) return
      yield this.#toLine(line)
    }
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

  #change(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        signal.removeEventListener('abort', done)
        this.#wake.delete(done)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      this.#wake.add(done)
    })
  }

  #toLine({ o, t, chunk: whole }: LogLine): FeedLine {
    const chunk = cutChunk(whole, this.#resultBytes)
    return { o, t, chunk, json: JSON.stringify(chunk) }
  }
}
