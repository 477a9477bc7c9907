/** A hidden page gets no frames: tasks run after this many milliseconds at the latest. */
const LONGEST_WAIT_MS = 250

/** Runs a task once per frame, however often it is requested; or once per `interval` milliseconds, if that is set. */
export class Scheduler {
  readonly #task: () => void
  readonly #interval: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #frame: number | undefined

  constructor(task: () => void, interval?: number | undefined) {
    this.#task = task
    this.#interval = interval
  }

  request(): void {
    if (this.#timer !== undefined) return
    const frames = typeof requestAnimationFrame === 'function'
    this.#timer = setTimeout(this.#run, this.#interval ?? (frames ? LONGEST_WAIT_MS : 16))
    if (this.#interval === undefined && frames) this.#frame = requestAnimationFrame(this.#run)
  }

  /** Runs the task immediately, if it is requested. */
  flush(): void {
    if (this.#timer !== undefined) this.#run()
  }

  cancel(): void {
    clearTimeout(this.#timer)
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#timer = undefined
    this.#frame = undefined
  }

  readonly #run = (): void => {
    this.cancel()
    this.#task()
  }
}
