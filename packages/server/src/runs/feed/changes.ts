/** A named change. The newest with a name replaces those that a slow reader hasn't taken. */
export type ServerChange = { type: 'document'; path: string } | { type: 'run'; run: string }

/** Tells any number of readers what has changed. A slow reader gets each name once, so memory stays bounded. */
export class ServerChanges {
  readonly #readers: Set<ChangeReader> = new Set()
  #count = 0

  /** If it is the same as before, nothing has changed. */
  get count(): number {
    return this.#count
  }

  tell(change: ServerChange): void {
    this.#count++
    for (const reader of this.#readers) reader.add(change)
  }

  /** Changes from now on. Ends with the signal. */
  follow(signal: AbortSignal): ChangeReader {
    const reader = new ChangeReader()
    this.#readers.add(reader)
    signal.addEventListener('abort', () => {
      this.#readers.delete(reader)
      reader.wake()
    })
    return reader
  }
}

export class ChangeReader {
  readonly #changes: Map<string, ServerChange> = new Map()
  #wake: (() => void) | undefined

  add(change: ServerChange): void {
    this.#changes.set(change.type === 'run' ? `run ${change.run}` : `document ${change.path}`, change)
    this.wake()
  }

  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  /** Changes since the last call. */
  take(): ServerChange[] {
    const changes = [...this.#changes.values()]
    this.#changes.clear()
    return changes
  }

  get hasNews(): boolean {
    return this.#changes.size > 0
  }

  /** Calls `wake` once, on the next change. */
  onNext(wake: () => void): void {
    this.#wake = wake
    if (this.hasNews) this.wake()
  }
}
