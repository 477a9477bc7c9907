import type { Talk } from './plan.ts'

/** The longest time that a timer of Node takes. */
const LONGEST_MS = 2 ** 31 - 1

/** What one model call may take: without a sign of life, and in all, because pings must not hold a run for ever. */
export type TimeLimits = Pick<Talk, 'idleMs' | 'replyMs'>

/**
 * Aborts its signal when nothing was heard for a while, when it has lasted too long in all, or with another signal. Its
 * time begins when it hears something for the first time. More milliseconds than a timer takes mean that there is no limit.
 */
export class IdleLimit {
  readonly #controller: AbortController = new AbortController()
  readonly #limits: TimeLimits
  readonly #outer: AbortSignal
  #timer: NodeJS.Timeout | undefined
  #total: NodeJS.Timeout | undefined
  #over: keyof TimeLimits | undefined

  constructor(limits: TimeLimits, outer: AbortSignal) {
    this.#limits = limits
    this.#outer = outer
    if (outer.aborted) this.#stop()
    else outer.addEventListener('abort', this.#stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The limit that was reached. */
  get over(): keyof TimeLimits | undefined {
    return this.#over
  }

  /** The time begins again. */
  heard(): void {
    if (this.signal.aborted) return
    const { idleMs, replyMs } = this.#limits
    if (replyMs <= LONGEST_MS) this.#total ??= setTimeout(() => this.#giveUp('replyMs'), replyMs)
    if (idleMs > LONGEST_MS) return
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#giveUp('idleMs'), idleMs)
    else this.#timer.refresh()
  }

  /** Nothing is waited for any more. */
  end(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#total)
    this.#outer.removeEventListener('abort', this.#stop)
  }

  #giveUp(limit: keyof TimeLimits): void {
    this.#over = limit
    this.#controller.abort()
  }

  readonly #stop = (): void => this.#controller.abort(this.#outer.reason)
}
