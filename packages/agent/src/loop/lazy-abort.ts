/** A signal that is made when somebody asks for it: most tools never do, and Node takes long to make one. */
export class LazyAbort {
  #controller: AbortController | undefined
  #aborted: { reason: unknown } | undefined

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason)
    }
    return this.#controller.signal
  }

  /** The first reason counts, as for any signal. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason }
    this.#controller?.abort(reason)
  }
}
