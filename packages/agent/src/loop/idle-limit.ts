/** The longest time that a timer of Node takes. */
const LONGEST_MS = 2 ** 31 - 1

/** Aborts its signal when nothing was heard for a while. Its time begins when it hears something for the first time. */
export class IdleLimit {
  readonly #controller: AbortController = new AbortController()
  readonly #milliseconds: number
  #timer: NodeJS.Timeout | undefined

  /** More milliseconds than a timer takes mean that there is no limit. */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The time begins anew. */
  heard(): void {
    if (this.signal.aborted || this.#milliseconds > LONGEST_MS) return
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#controller.abort(), this.#milliseconds)
    else this.#timer.refresh()
  }

  /** Nothing is waited for any more. */
  end(): void {
    clearTimeout(this.#timer)
  }
}
