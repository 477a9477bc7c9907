import fc from 'fast-check'

/**
 * A list of random bytes that a generator reads its choices from. Cheap to make and quick to shrink: a shorter tape
 * with smaller bytes is a simpler case, and past its end every choice is the first.
 */
export class Tape {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** True when every choice that follows is the first one. */
  get over(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** A number from 0 up to, not including, `count`. */
  below(count: number): number {
    const byte = this.#bytes[this.#at++] ?? 0
    return byte % count
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!
  }

  /** True once in `odds` times, never past the end. */
  chance(odds: number): boolean {
    return this.below(odds) === odds - 1
  }

  /** The text in pieces that start anywhere, in the middle of surrogate pairs too. */
  cut(text: string, cuts: number): string[] {
    const places = Array.from({ length: cuts }, () => this.below(text.length + 1)).sort((a, b) => a - b)
    return [0, ...places].map((start, i) => text.slice(start, places[i] ?? text.length)).filter(piece => piece !== '')
  }
}

/** Cases that are read from a tape of at most `length` bytes. */
export function fromTape<T>(read: (tape: Tape) => T, length = 72): fc.Arbitrary<T> {
  return fc.uint8Array({ minLength: 4, maxLength: length, size: 'max' }).map(bytes => read(new Tape(bytes)))
}
