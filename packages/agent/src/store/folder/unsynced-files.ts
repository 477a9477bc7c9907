import { type Disk, syncFolder, syncPath } from './disk.ts'

/** Files that are brought to the disk at a time: as many as Node has threads for it. More wait for each other. */
const SYNCS_AT_ONCE = 4
/** This many files stay open until the disk has them; others are opened again for that. */
const OPEN_FILES = 64

interface UnsyncedFile {
  path: string
  /** Of a file that stayed open since it was made. */
  fd: number | undefined
}

/** The files of a folder that the disk may not have yet. */
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

  /** Notes a file; one that stays open comes with its descriptor, and is closed here once the disk has it. */
  add(path: string, fd?: number): void {
    this.#files.push({ path, fd })
  }

  /**
   * Brings them to the disk, as one group with the names in their folder and with `others`: a file system that is asked for
   * all at once writes its journal once. What could not be brought there is tried again the next time.
   */
  async sync(...others: readonly (() => Promise<void>)[]): Promise<void> {
    const files = this.#files
    this.#files = []
    const folder = files.length === 0 ? [] : [() => syncFolder(this.#disk, this.#folder)]
    const works = [...files.map(file => () => this.#syncFile(file)), ...folder, ...others]
    try {
      await inLanes(works)
    } catch (error) {
      this.#files = [...files, ...this.#files]
      throw error
    }
    for (const file of files) this.#close(file)
  }

  /** Gives the descriptors back. */
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

/** Begins the works in their order, a few at a time. Rejects once none is under way any more, with the first error. */
async function inLanes(works: readonly (() => Promise<void>)[]): Promise<void> {
  let next = 0
  const failures: unknown[] = []
  const lane = async (): Promise<void> => {
    while (next < works.length && failures.length === 0) {
      try {
        await works[next++]!()
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(SYNCS_AT_ONCE, works.length) }, lane))
  if (failures.length > 0) throw failures[0]
}
