/** Something outside React that can be read and followed. */
export interface Followed<T> {
  /** Calls `listener` after each change until the returned function is called. */
  subscribe: (listener: () => void) => () => void
  get: () => T
}

/** Something that changes, and those who want to know. */
export class Topic {
  readonly #listeners: Set<() => void> = new Set()
  #version = 0

  /** Another number after each change. */
  readonly version = (): number => this.#version

  /** Calls `listener` after each change until the returned function is called. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  notify(): void {
    this.#version++
    for (const listener of [...this.#listeners]) listener()
  }
}

/** A value that others follow. */
export class Value<T> extends Topic {
  #value: T

  constructor(value: T) {
    super()
    this.#value = value
  }

  readonly get = (): T => this.#value

  /** Tells the listeners only where it is another value. */
  set(value: T): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    this.notify()
  }
}
