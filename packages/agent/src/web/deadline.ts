import { SourceError } from '../files/source-error.ts'

/** Aborts a fetch when one of its phases or the whole takes too long, or when the caller's signal is aborted. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #total: NodeJS.Timeout
  #phase: NodeJS.Timeout | undefined
  /** What hasn't happened in time, as the beginning of a sentence. */
  #problem = ''
  readonly #stop = (): void => this.#controller.abort(this.#outer?.reason)

  constructor(totalMs: number, outer: AbortSignal | undefined) {
    this.#outer = outer
    this.#total = setTimeout(() => this.#expire(totalMs), totalMs)
    if (outer?.aborted) this.#stop()
    outer?.addEventListener('abort', this.#stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Why it was aborted: a `SourceError`, or the reason of the caller's signal. Undefined if it was not aborted. */
  reason(): unknown {
    return this.#controller.signal.aborted ? this.#controller.signal.reason : undefined
  }

  start(ms: number, problem: string): void {
    clearTimeout(this.#phase)
    this.#problem = problem
    this.#phase = setTimeout(() => this.#expire(ms), ms)
  }

  end(): void {
    clearTimeout(this.#phase)
    clearTimeout(this.#total)
    this.#outer?.removeEventListener('abort', this.#stop)
  }

  #expire(ms: number): void {
    const message = `${this.#problem} within ${ms < 1000 ? `${ms} ms` : `${ms / 1000} s`}.`
    this.#controller.abort(new SourceError('CHATMD_TIMEOUT', message, 'Try again later, or raise the limit.'))
  }
}
