import type { OpenContainer } from './open-container.ts'

/** The value that a `PartialJson` had at one moment. */
export class JsonCapture {
  #open: OpenContainer | undefined
  readonly #count: number
  readonly #key: string
  /** Before the value is built, the string that was growing. */
  #value: unknown

  constructor(open: OpenContainer | undefined, key: string, value: unknown) {
    this.#open = open
    this.#count = open === undefined ? 0 : open.count
    this.#key = key
    this.#value = value
  }

  /** Built at the first read, then always the same object. Lists and objects that had ended are shared, not copied. */
  get value(): unknown {
    let open = this.#open
    if (open !== undefined) {
      let built = open.snapshotAt(this.#count, this.#key, this.#value)
      for (; open.parent !== undefined; open = open.parent)
        built = open.parent.snapshotAt(open.indexInParent, open.key, built)
      this.#value = built
      this.#open = undefined
    }
    return this.#value
  }
}
