import type { FolderWatches } from './folder-watches.ts'
import type { LocalWriters } from './local-writers.ts'

/** Notices changes to a file: from writers in this process if there are any, otherwise from the system. */
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

  /** Changes after this call are noticed. Call it again before each read: a writer may have come or gone. */
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
