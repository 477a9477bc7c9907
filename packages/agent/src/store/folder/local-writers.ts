/** Tracks which files this process writes and which locks it holds, to avoid asking the system about them. */
export class LocalWriters {
  readonly #writers: Map<string, number> = new Map()
  readonly #followers: Map<string, Set<() => void>> = new Map()

  /** Marks the file as written by this process until you call the returned function. */
  begin(path: string): () => void {
    this.#writers.set(path, (this.#writers.get(path) ?? 0) + 1)
    this.wakeFollowers(path)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const remaining = this.#writers.get(path)! - 1
      if (remaining === 0) this.#writers.delete(path)
      else this.#writers.set(path, remaining)
      this.wakeFollowers(path)
    }
  }

  /** Call this after writing to the file. */
  wakeFollowers(path: string): void {
    const followers = this.#followers.get(path)
    if (followers !== undefined) for (const wake of [...followers]) wake()
  }

  isWritten(path: string): boolean {
    return this.#writers.has(path)
  }

  /** Calls `wake` after each write to the file, until you call the returned function. */
  follow(path: string, wake: () => void): () => void {
    const followers = this.#followers.get(path) ?? new Set()
    this.#followers.set(path, followers.add(wake))
    return () => {
      followers.delete(wake)
      if (followers.size === 0 && this.#followers.get(path) === followers) this.#followers.delete(path)
    }
  }
}
