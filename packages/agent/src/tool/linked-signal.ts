export interface LinkedSignal {
  readonly signal: AbortSignal
  /** Removes its listeners from the other signals, which may long outlive it. */
  release(): void
}

/**
 * A signal that is aborted with the first of these. Not `AbortSignal.any`: its result stays in memory as long as it has
 * listeners, and leaves an entry in every signal that it follows.
 */
export function linkSignals(others: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController()
  const sources = new Set(others.filter(one => one !== undefined))
  const release = (): void => {
    for (const one of sources) one.removeEventListener('abort', follow)
  }
  function follow(this: AbortSignal): void {
    release()
    controller.abort(this.reason)
  }
  for (const one of sources) {
    if (controller.signal.aborted) break
    if (one.aborted) follow.call(one)
    else one.addEventListener('abort', follow)
  }
  return { signal: controller.signal, release }
}
