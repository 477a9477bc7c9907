import { type FSWatcher, watch } from 'node:fs'

/** How long a change may go unnoticed if the system doesn't report changes. */
const LONGEST_MS = 250

/** Waits for changes in a folder that may not exist yet. */
export class ChangeWaiter {
  readonly #folder: string
  readonly #signal: AbortSignal
  #watcher: FSWatcher | undefined
  #hasChanged = false
  #wake: (() => void) | undefined

  constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder
    this.#signal = signal
    this.#watch()
    signal.addEventListener('abort', this.wake)
  }

  readonly wake: () => void = () => {
    this.#hasChanged = true
    this.#wake?.()
  }

  /** Resolves soon after something in the folder has changed since the last call. May also resolve without a change. */
  async wait(): Promise<void> {
    this.#watch()
    if (!this.#hasChanged && !this.#signal.aborted) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, LONGEST_MS)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#wake = undefined
    this.#hasChanged = false
  }

  /** Resolves after this many milliseconds, or with the signal. */
  async rest(ms: number): Promise<void> {
    if (ms < 1 || this.#signal.aborted) return
    await new Promise<void>(resolve => {
      const end = (): void => {
        clearTimeout(timer)
        this.#signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      this.#signal.addEventListener('abort', end)
    })
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.wake)
    this.#watcher?.close()
  }

  /** If the system can't watch, or has no watches left, the folder is polled. */
  #watch(): void {
    if (this.#watcher !== undefined) return
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, this.wake)
      this.#watcher.on('error', () => {})
    } catch {
      this.#watcher = undefined
    }
  }
}
