/** A sequence of numbers that is the same for the same seed, on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** An integer from 0 to `below - 1`. */
  integer(below: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below)
  }

  /** True in one of `of` cases. */
  chance(of: number): boolean {
    return this.integer(of) === 0
  }

  pick<T>(from: readonly T[]): T {
    const item = from[this.integer(from.length)]
    if (item === undefined && from.length === 0) throw new RangeError('There is nothing to pick from.')
    return item as T
  }

  /** Between `least` and `most` results of `make`. */
  list<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.integer(most - least + 1) }, make)
  }
}
