import { Topic } from './topic.ts'

/** The time for clocks on the screen. It ticks once a second, and only while it has subscribers. */
export class Clock {
  readonly #topic: Topic = new Topic()
  readonly #read: () => number
  #timer: ReturnType<typeof setInterval> | undefined
  #now: number

  constructor(now: () => number = Date.now) {
    this.#read = now
    this.#now = now()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#timer === undefined) {
      this.#now = this.#read()
      this.#timer = setInterval(this.tick, 1000)
    }
    const leave = this.#topic.subscribe(listener)
    return () => {
      leave()
      if (this.#topic.hasListeners) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  /** Milliseconds since 1970, as of the last tick. */
  readonly get = (): number => this.#now

  /** Reads the time now, for a time that jumps. */
  readonly tick = (): void => {
    this.#now = this.#read()
    this.#topic.notify()
  }
}
