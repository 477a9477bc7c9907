import { lastAtMost } from '../source/sorted.ts'

/** The value that a `PartialJson` had at one moment. */
export class JsonCapture {
  #root: Container | { scalar: unknown } | undefined
  readonly #tick: number
  readonly #growing: string | undefined
  readonly #key: string
  #value: unknown

  constructor(
    root: Container | { scalar: unknown } | undefined,
    tick: number,
    growing: string | undefined,
    key: string,
  ) {
    this.#root = root
    this.#tick = tick
    this.#growing = growing
    this.#key = key
    if (root === undefined) this.#value = growing
  }

  /** Built at the first read, then the same object. */
  get value(): unknown {
    const root = this.#root
    if (root !== undefined) {
      this.#value = root instanceof Container ? this.#build(root) : root.scalar
      this.#root = undefined
    }
    return this.#value
  }

  #build(container: Container): unknown {
    if (container.closed <= this.#tick) return container.whole()
    const count = lastAtMost(container.born, this.#tick) + 1
    const last = container.values[count - 1]
    const openChild = last instanceof Container && last.closed > this.#tick ? last : undefined
    const values = container.values.slice(0, openChild ? count - 1 : count).map(wholeValue)
    const keys = container.keys?.slice(0, values.length)
    if (openChild !== undefined) {
      values.push(this.#build(openChild))
      keys?.push(container.keys![count - 1]!)
    } else if (this.#growing !== undefined) {
      values.push(this.#growing)
      keys?.push(this.#key)
    }
    return keys === undefined ? values : toObject(keys, values)
  }
}

/** A list (`keys` is undefined) or an object, with the moment at which each entry was added. */
export class Container {
  readonly keys: string[] | undefined
  readonly values: unknown[] = []
  /** For each entry the tick at which it was added (a container: opened). Ascending. */
  readonly born: number[] = []
  /** The tick at which it ended. */
  closed: number = Number.POSITIVE_INFINITY
  #whole: unknown

  constructor(keys: string[] | undefined) {
    this.keys = keys
  }

  /** The finished value; built once, shared by every capture that shows it. */
  whole(): unknown {
    if (this.#whole === undefined) {
      const values = this.values.map(wholeValue)
      this.#whole = this.keys === undefined ? values : toObject(this.keys, values)
    }
    return this.#whole
  }
}

function wholeValue(value: unknown): unknown {
  return value instanceof Container ? value.whole() : value
}

/** As `JSON.parse` does it: the last of equal keys wins, and `__proto__` is an ordinary key. */
function toObject(keys: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    if (key === '__proto__') {
      Object.defineProperty(object, key, { value: values[i], enumerable: true, configurable: true, writable: true })
    } else {
      object[key] = values[i]
    }
  }
  return object
}
