/** The longest time that a timer of Node takes. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Aborts its signal when nothing was heard for a while, or with another signal. Its time begins when it hears something
 * for the first time.
 */
export class IdleLimit {
  readonly #controller: AbortController = new AbortController()
  readonly #milliseconds: number
  readonly #outer: AbortSignal
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  /** More milliseconds than a timer takes mean that there is no limit. */
  constructor(milliseconds: number, outer: AbortSignal) {
    this.#milliseconds = milliseconds
    this.#outer = outer
    if (outer.aborted) this.#stop()
    else outer.addEventListener('abort', this.#stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Nothing was heard for too long. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The time begins again. */
  heard(): void {
    if (this.signal.aborted || this.#milliseconds > LONGEST_MS) return
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#giveUp(), this.#milliseconds)
    else this.#timer.refresh()
  }

  /** Nothing is waited for any more. */
  end(): void {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener('abort', this.#stop)
  }

  #giveUp(): void {
    this.#isOver = true
    this.#controller.abort()
  }

  readonly #stop = (): void => this.#controller.abort(this.#outer.reason)
}
