/** Lets one reader wait for a ring. A ring before the wait isn't lost. */
export class Alarm {
  readonly #signal: AbortSignal
  #isRung = false
  #wake: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', this.ring)
  }

  readonly ring: () => void = () => {
    this.#isRung = true
    this.#wake?.()
  }

  /** Rings after this end the next wait. */
  reset(): void {
    this.#isRung = false
  }

  /** Resolves with the next ring, after `ms` milliseconds if given, or with the signal. */
  async wait(ms?: number): Promise<void> {
    if (this.#isRung || this.#signal.aborted) return
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>(resolve => {
      this.#wake = resolve
      if (ms !== undefined) timer = setTimeout(resolve, ms)
    })
    clearTimeout(timer)
    this.#wake = undefined
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.ring)
  }
}
