import { type Disk, syncFolder, syncPath } from './disk.ts'

/** How many files are synced in parallel: as many as Node has threads for it. More would only wait for each other. */
const PARALLEL_SYNCS = 4
/** How many files stay open until they are synced; others are reopened for it. */
const OPEN_FILES = 64

interface UnsyncedFile {
  path: string
  fd: number | undefined
}

export class UnsyncedFiles {
  readonly #disk: Disk
  readonly #folder: string
  #files: UnsyncedFile[] = []

  constructor(disk: Disk, folder: string) {
    this.#disk = disk
    this.#folder = folder
  }

  /** How many more files may stay open. */
  get room(): number {
    return Math.max(0, OPEN_FILES - this.#files.length)
  }

  /** Adds a file. If it comes with its descriptor, it is closed here after its sync. */
  add(path: string, fd?: number): void {
    this.#files.push({ path, fd })
  }

  /**
   * Syncs the files together with the names in their folder and with `others`: a file system that gets all of them
   * together writes its journal once. Failed syncs are tried again the next time.
   */
  async sync(...others: readonly (() => Promise<void>)[]): Promise<void> {
    const files = this.#files
    this.#files = []
    const folder = files.length === 0 ? [] : [() => syncFolder(this.#disk, this.#folder)]
    const tasks = [...files.map(file => () => this.#syncFile(file)), ...folder, ...others]
    try {
      await runInLanes(tasks)
    } catch (error) {
      this.#files = [...files, ...this.#files]
      throw error
    }
    for (const file of files) this.#close(file)
  }

  close(): void {
    for (const file of this.#files) this.#close(file)
  }

  async #syncFile({ path, fd }: UnsyncedFile): Promise<void> {
    if (fd === undefined) await syncPath(this.#disk, path)
    else await this.#disk.sync(fd)
  }

  #close(file: UnsyncedFile): void {
    if (file.fd !== undefined) this.#disk.close(file.fd)
    file.fd = undefined
  }
}

/** Starts the tasks in order, a few at a time. Rejects with the first error, once no task is running anymore. */
async function runInLanes(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  let next = 0
  const failures: unknown[] = []
  const lane = async (): Promise<void> => {
    while (next < tasks.length && failures.length === 0) {
      try {
        await tasks[next++]!()
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL_SYNCS, tasks.length) }, lane))
  if (failures.length > 0) throw failures[0]
}
