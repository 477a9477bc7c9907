/** Which files this process writes, and which locks it holds, so that nobody here need ask the system about them. */
export class LocalWriters {
  readonly #writers: Map<string, number> = new Map()
  readonly #followers: Map<string, Set<() => void>> = new Map()

  /** Somebody here writes the file from now on, until the returned function is called. */
  begin(path: string): () => void {
    this.#writers.set(path, (this.#writers.get(path) ?? 0) + 1)
    this.written(path)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const remaining = this.#writers.get(path)! - 1
      if (remaining === 0) this.#writers.delete(path)
      else this.#writers.set(path, remaining)
      this.written(path)
    }
  }

  /** The file has more than before. */
  written(path: string): void {
    const followers = this.#followers.get(path)
    if (followers !== undefined) for (const wake of [...followers]) wake()
  }

  isWritten(path: string): boolean {
    return this.#writers.has(path)
  }

  /** Calls `wake` when the file has more, until the returned function is called. */
  follow(path: string, wake: () => void): () => void {
    const followers = this.#followers.get(path) ?? new Set()
    this.#followers.set(path, followers.add(wake))
    return () => {
      followers.delete(wake)
      if (followers.size === 0 && this.#followers.get(path) === followers) this.#followers.delete(path)
    }
  }
}
