/** Something that happened, by name: the newest of a name replaces those that a slow reader has not taken. */
export type Change = { type: 'document'; path: string } | { type: 'run'; run: string }

/** Tells any number of readers what has changed. A slow one gets each name once, so nothing grows. */
export class Changes {
  readonly #readers: Set<Reader> = new Set()
  #count = 0

  /** How many changes there were: if it is the same, nothing has changed. */
  get count(): number {
    return this.#count
  }

  tell(change: Change): void {
    this.#count++
    for (const reader of this.#readers) reader.add(change)
  }

  /** What changes from now on. Ends with the signal. */
  follow(signal: AbortSignal): Reader {
    const reader = new Reader()
    this.#readers.add(reader)
    signal.addEventListener('abort', () => {
      this.#readers.delete(reader)
      reader.wake()
    })
    return reader
  }
}

export class Reader {
  readonly #changes: Map<string, Change> = new Map()
  #wake: (() => void) | undefined

  add(change: Change): void {
    this.#changes.set(change.type === 'run' ? `run ${change.run}` : `document ${change.path}`, change)
    this.wake()
  }

  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  /** What has changed since the last time. */
  take(): Change[] {
    const changes = [...this.#changes.values()]
    this.#changes.clear()
    return changes
  }

  get hasNews(): boolean {
    return this.#changes.size > 0
  }

  /** Called once with the next change. */
  onNext(wake: () => void): void {
    this.#wake = wake
    if (this.hasNews) this.wake()
  }
}
