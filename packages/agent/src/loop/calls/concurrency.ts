/** Runs at most `size` tasks at a time. The others wait in order of arrival. */
export class Concurrency {
  #free: number
  readonly #waiting: (() => void)[] = []
  #next = 0

  constructor(size: number) {
    this.#free = size
  }

  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  #pass(): void {
    const next = this.#waiting[this.#next]
    if (next === undefined) {
      this.#free++
      this.#waiting.length = 0
      this.#next = 0
      return
    }
    this.#next++
    next()
  }
}
