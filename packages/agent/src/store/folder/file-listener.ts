import type { FolderWatches } from './folder-watches.ts'
import type { LocalWriters } from './local-writers.ts'

/** Hears of a file: from whoever writes it in this process, else from the system. */
export class FileListener {
  readonly #file: string
  readonly #writers: LocalWriters
  readonly #watches: FolderWatches
  readonly #wake: () => void
  readonly #leaveWriters: () => void
  #leaveSystem: (() => void) | undefined

  constructor(file: string, writers: LocalWriters, watches: FolderWatches, wake: () => void) {
    this.#file = file
    this.#writers = writers
    this.#watches = watches
    this.#wake = wake
    this.#leaveWriters = writers.follow(file, wake)
  }

  /** What changes after this is heard of. To be called again before each look: a writer may have come or gone. */
  listen(): void {
    if (!this.#writers.isWritten(this.#file)) this.#leaveSystem ??= this.#watches.watch(this.#file, this.#wake)
    else this.#stopSystem()
  }

  close(): void {
    this.#leaveWriters()
    this.#stopSystem()
  }

  #stopSystem(): void {
    this.#leaveSystem?.()
    this.#leaveSystem = undefined
  }
}
