export interface RunTimeOptions {
  /** More than a year means that there is no limit. */
  limitMs: number
  /** Whether the run waits for a person at the moment. */
  isWaiting: () => boolean
  onOver: () => void
}

const LONGEST_MS = 365 * 24 * 60 * 60 * 1000
const LONGEST_TICK_MS = 10_000
const TICKS = 20

/** Counts how long a run works, and says when that is too long. Time in which it waits for a person does not count. */
export class RunTime {
  readonly #options: RunTimeOptions
  readonly #tickMs: number
  readonly #timer: NodeJS.Timeout | undefined
  #worked = 0

  constructor(options: RunTimeOptions) {
    const { limitMs } = options
    this.#options = options
    this.#tickMs = Math.min(limitMs / TICKS, LONGEST_TICK_MS)
    if (limitMs > LONGEST_MS) return
    this.#timer = setInterval(() => this.#tick(), this.#tickMs)
    this.#timer.unref()
  }

  get isOver(): boolean {
    return this.#worked >= this.#options.limitMs
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** A process that slept for an hour has not worked for an hour: ticks are counted, not the clock. */
  #tick(): void {
    if (this.#options.isWaiting()) return
    this.#worked += this.#tickMs
    if (!this.isOver) return
    this.end()
    this.#options.onOver()
  }
}
