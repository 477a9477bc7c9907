import { Seal, splitSigned } from '../seal.ts'

/** Checks, line by line, which lines of a log this user definitely wrote. */
export class SignatureCheck {
  readonly #key: Uint8Array | undefined
  /** Covers the lines since the last good signature; undefined after a bad one. */
  #seal: Seal | undefined
  #signature: string | undefined
  #lastOffset = -1

  constructor(key: Uint8Array | undefined) {
    this.#key = key
    this.#seal = key === undefined ? undefined : new Seal(key)
  }

  get signature(): string | undefined {
    return this.#signature
  }

  /** The offset of the last line with a good signature; -1 if there is none. */
  get lastOffset(): number {
    return this.#lastOffset
  }

  /** Covers a text between the lines, such as the header. */
  cover(text: string): void {
    this.#seal?.add(text)
  }

  /** Call this for unreadable content: no later signature covers what follows. */
  doubt(): void {
    this.#seal = undefined
  }

  /** Takes a line. True if its signature is good: this user wrote it and every valid line before it. */
  push(text: string, offset: number): boolean {
    const { covered, signature } = splitSigned(text)
    this.#seal?.add(covered)
    if (signature === undefined) return false
    if (this.#seal?.sign() !== signature) {
      // Later signatures never make up for a bad one: the following lines are read, but not trusted.
      this.#seal = undefined
      return false
    }
    this.#signature = signature
    this.#lastOffset = offset
    return true
  }

  /** A later process continues after a line. False if that isn't the last line with a good signature. */
  resume(after: unknown): boolean {
    if (this.#key === undefined || after !== this.#lastOffset) return false
    this.#seal = new Seal(this.#key, this.#signature)
    return true
  }
}
