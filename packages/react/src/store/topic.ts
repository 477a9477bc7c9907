/** Something outside React that can be read and subscribed to. */
export interface Subscribable<T> {
  /** Calls `listener` after each change until the returned function is called. */
  subscribe: (listener: () => void) => () => void
  get: () => T
}

export class Topic {
  readonly #listeners: Set<() => void> = new Set()
  #version = 0

  /** A different number after each change. */
  readonly version = (): number => this.#version

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

export class Value<T> extends Topic {
  #value: T

  constructor(value: T) {
    super()
    this.#value = value
  }

  readonly get = (): T => this.#value

  /** Notifies the listeners only if the value is different. */
  set(value: T): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    this.notify()
  }
}
