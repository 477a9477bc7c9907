/** A signal that follows others until it is released. */
export interface LinkedSignal {
  readonly signal: AbortSignal
  /** Takes its listeners off the others: they may outlive it by far. */
  release(): void
}

/**
 * A signal that is aborted with the first of these. Not `AbortSignal.any`: what that gives stays in memory as long as
 * somebody listens to it, and leaves a mark in every signal that it follows.
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
