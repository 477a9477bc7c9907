export interface RunTimeOptions {
  /** More than a year means no limit. */
  limitMs: number
  isWaiting: () => boolean
  onOver: () => void
}

const LONGEST_MS = 365 * 24 * 60 * 60 * 1000
const LONGEST_TICK_MS = 10_000
const TICKS = 20

/** Measures how long a run works, and reports when that is too long. Time spent waiting for a person isn't included. */
export class RunTime {
  readonly #options: RunTimeOptions
  readonly #tickMs: number
  readonly #timer: NodeJS.Timeout | undefined
  #workedMs = 0

  constructor(options: RunTimeOptions) {
    const { limitMs } = options
    this.#options = options
    this.#tickMs = Math.min(limitMs / TICKS, LONGEST_TICK_MS)
    if (limitMs > LONGEST_MS) return
    this.#timer = setInterval(() => this.#tick(), this.#tickMs)
    this.#timer.unref()
  }

  get isOver(): boolean {
    return this.#workedMs >= this.#options.limitMs
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** Uses ticks instead of reading the clock: a process that slept for an hour hasn't worked for an hour. */
  #tick(): void {
    if (this.#options.isWaiting()) return
    this.#workedMs += this.#tickMs
    if (!this.isOver) return
    this.end()
    this.#options.onOver()
  }
}
