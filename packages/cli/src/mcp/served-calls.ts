import type { ServedCall } from './served-call.ts'

export interface ServedCallsOptions {
  /** The maximum number of concurrent calls, including those that wait for answers. */
  maxCalls: number
  /** How long a call waits for a client that left with its questions, in milliseconds. */
  patienceMs?: number | undefined
}

/** As long as a client may keep a form open. */
const PATIENCE_MS = 10 * 60_000

export class ServedCalls {
  readonly #calls = new Map<string, ServedCall>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #options: ServedCallsOptions
  #isClosed = false

  constructor(options: ServedCallsOptions) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#isClosed || this.#calls.size >= this.#options.maxCalls
  }

  get maxCalls(): number {
    return this.#options.maxCalls
  }

  add(call: ServedCall): void {
    this.#calls.set(call.id, call)
    const drop = (): void => this.#drop(call.id)
    call.ended.then(drop, drop)
  }

  /** Undefined if the call is over, another request already waits for it, or it was started with a different key. */
  find(id: string, key: string): ServedCall | undefined {
    const call = this.#calls.get(id)
    return call === undefined || call.isAttended || call.options.key !== key ? undefined : call
  }

  /** The client left with the questions. If it doesn't return, the call is stopped. */
  startTimeout(call: ServedCall): void {
    const { patienceMs = PATIENCE_MS } = this.#options
    const stop = (): void => call.stop('The client did not answer the questions of the run.')
    this.#timers.set(call.id, setTimeout(stop, patienceMs).unref())
  }

  cancelTimeout(call: ServedCall): void {
    clearTimeout(this.#timers.get(call.id))
    this.#timers.delete(call.id)
  }

  /** Stops every call. Resolves when no more writes happen. */
  async close(): Promise<void> {
    this.#isClosed = true
    const calls = [...this.#calls.values()]
    for (const call of calls) call.stop('The server ended.')
    await Promise.allSettled(calls.map(({ ended }) => ended))
  }

  #drop(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    this.#calls.delete(id)
  }
}
