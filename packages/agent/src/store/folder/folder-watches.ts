import { type FSWatcher, lstatSync, statfsSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** How often files are looked at if the system doesn't tell when they change. */
const LOOK_MS = 250

/** Disks that other machines write to without this one's system noticing: NFS, SMB, CIFS, 9P, FUSE, Ceph, AFS. */
const remoteDisks: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x00c36400, 0x5346414f,
])

/** Tells when files change, by the system's own word. Watches a folder once, however many of its files matter. */
export class FolderWatches {
  readonly #folders: Map<string, WatchedFolder> = new Map()

  /** Calls `wake` soon after a file changes, appears or goes, until the returned function is called. It need not be there. */
  watch(path: string, wake: () => void): () => void {
    const folder = dirname(path)
    const watched = this.#folders.get(folder) ?? new WatchedFolder(folder)
    this.#folders.set(folder, watched)
    const leave = watched.add(basename(path), wake)
    return () => {
      if (leave() && this.#folders.get(folder) === watched) this.#folders.delete(folder)
    }
  }
}

class WatchedFolder {
  readonly #folder: string
  readonly #listeners: Map<string, Set<() => void>> = new Map()
  #watcher: FSWatcher | undefined
  /** The folder, or the nearest one above it that is there. */
  #watchedPath: string | undefined
  #inode: number | undefined
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(folder: string) {
    this.#folder = folder
    this.#attach()
  }

  add(name: string, wake: () => void): () => boolean {
    const own = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, own.add(wake))
    return () => {
      own.delete(wake)
      if (own.size === 0 && this.#listeners.get(name) === own) this.#listeners.delete(name)
      if (this.#listeners.size > 0) return false
      this.#close()
      return true
    }
  }

  #attach(): void {
    this.#close()
    const path = nearestFolder(this.#folder)
    try {
      if (isRemote(path)) return this.#look()
      this.#watcher = watch(path, (_, name) => this.#changed(name))
      // One that is removed ends with an error on some systems.
      this.#watcher.on('error', () => this.#look())
      this.#watchedPath = path
      this.#inode = readInode(path)
    } catch {
      // There are no more watches to be had, or the folder has just gone.
      this.#look()
    }
  }

  #look(): void {
    this.#close()
    this.#timer = setInterval(() => this.#wakeAll(), LOOK_MS)
  }

  #close(): void {
    this.#watcher?.close()
    this.#watcher = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #changed(name: string | null): void {
    const own = name === null || this.#watchedPath !== this.#folder ? undefined : this.#listeners.get(name)
    if (own !== undefined) return wakeEach(own)
    // Something else in the folder; or the folder itself has come, gone or been replaced.
    const isItself = name === null || this.#watchedPath !== this.#folder || name === basename(this.#folder)
    if (!isItself) return
    if (nearestFolder(this.#folder) !== this.#watchedPath || readInode(this.#watchedPath) !== this.#inode)
      this.#attach()
    this.#wakeAll()
  }

  #wakeAll(): void {
    for (const own of [...this.#listeners.values()]) wakeEach(own)
  }
}

function wakeEach(listeners: ReadonlySet<() => void>): void {
  for (const wake of [...listeners]) wake()
}

function nearestFolder(folder: string): string {
  let path = folder
  while (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true && dirname(path) !== path) {
    path = join(path, '..')
  }
  return path
}

function readInode(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino
}

function isRemote(path: string): boolean {
  return remoteDisks.has(statfsSync(path).type)
}
