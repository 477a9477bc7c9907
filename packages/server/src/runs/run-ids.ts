import { randomBytes } from 'node:crypto'

const DIGITS = 9

/** Creates run ids that sort in the order of requests, even if the clock goes backwards. */
export class RunIds {
  readonly #now: () => number
  #last = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Makes the next id come after existing runs. Ignores ids in other formats. */
  after(runs: readonly string[]): void {
    for (const run of runs) {
      const [, time] = /^([0-9a-z]{9})-[0-9a-f]{8}$/.exec(run) ?? []
      if (time !== undefined) this.#last = Math.max(this.#last, Number.parseInt(time, 36))
    }
  }

  next(): string {
    this.#last = Math.max(this.#now(), this.#last + 1)
    return `${this.#last.toString(36).padStart(DIGITS, '0')}-${randomBytes(4).toString('hex')}`
  }
}
