import { type FSWatcher, watch } from 'node:fs'

/** How long a change may go unnoticed where the system tells of none. */
const LONGEST_MS = 250

/** Waits for changes in a folder, which need not be there yet. */
export class ChangeWaiter {
  readonly #folder: string
  readonly #signal: AbortSignal
  #watcher: FSWatcher | undefined
  #changed = false
  #wake: (() => void) | undefined

  constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder
    this.#signal = signal
    this.#watch()
  }

  /** Resolves soon after something in the folder has changed since the last call; sooner for nothing, too. */
  async wait(): Promise<void> {
    if (this.#watcher === undefined) this.#watch()
    if (this.#changed || this.#signal.aborted) {
      this.#changed = false
      return
    }
    await new Promise<void>(resolve => {
      const timer = setTimeout(done, LONGEST_MS)
      const signal = this.#signal
      function done(): void {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      this.#wake = done
    })
    this.#wake = undefined
    this.#changed = false
  }

  close(): void {
    this.#watcher?.close()
  }

  /** A system that cannot watch, or no more folders, is looked at again and again. */
  #watch(): void {
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => {
        this.#changed = true
        this.#wake?.()
      })
      this.#watcher.on('error', () => {})
    } catch {
      this.#watcher = undefined
    }
  }
}
