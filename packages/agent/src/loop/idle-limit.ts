import type { Talk } from './plan.ts'

/** The longest delay of a Node timer. */
const LONGEST_MS = 2 ** 31 - 1

/** For one model call: without any sign of life, and in total, because pings must not keep a run alive forever. */
export type TimeLimits = Pick<Talk, 'idleMs' | 'replyMs'>

/**
 * Aborts its signal after a silence, after a total time, or with another signal. Time starts with the first `restart`.
 * A limit longer than a timer's maximum means no limit.
 */
export class IdleLimit {
  readonly #controller: AbortController = new AbortController()
  readonly #limits: TimeLimits
  readonly #outer: AbortSignal
  #idleTimer: NodeJS.Timeout | undefined
  #totalTimer: NodeJS.Timeout | undefined
  #exceeded: keyof TimeLimits | undefined

  constructor(limits: TimeLimits, outer: AbortSignal) {
    this.#limits = limits
    this.#outer = outer
    if (outer.aborted) this.#stop()
    else outer.addEventListener('abort', this.#stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get exceeded(): keyof TimeLimits | undefined {
    return this.#exceeded
  }

  restart(): void {
    if (this.signal.aborted) return
    const { idleMs, replyMs } = this.#limits
    if (replyMs <= LONGEST_MS) this.#totalTimer ??= setTimeout(() => this.#giveUp('replyMs'), replyMs)
    if (idleMs > LONGEST_MS) return
    if (this.#idleTimer === undefined) this.#idleTimer = setTimeout(() => this.#giveUp('idleMs'), idleMs)
    else this.#idleTimer.refresh()
  }

  end(): void {
    clearTimeout(this.#idleTimer)
    clearTimeout(this.#totalTimer)
    this.#outer.removeEventListener('abort', this.#stop)
  }

  #giveUp(limit: keyof TimeLimits): void {
    this.#exceeded = limit
    this.#controller.abort()
  }

  readonly #stop = (): void => this.#controller.abort(this.#outer.reason)
}
