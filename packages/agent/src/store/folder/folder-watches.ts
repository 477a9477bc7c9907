import { type FSWatcher, lstatSync, statfsSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const POLL_MS = 250

/** File systems that other machines write to without this system noticing: NFS, SMB, CIFS, 9P, FUSE, Ceph, AFS. */
const remoteDisks: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x00c36400, 0x5346414f,
])

/** Reports file changes from the system's own notifications. Watches a folder once for all of its files. */
export class FolderWatches {
  readonly #folders: Map<string, WatchedFolder> = new Map()

  /** Calls `wake` soon after a file changes, appears or disappears, until you call the returned function. */
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
  /** The folder, or the nearest existing one above it. */
  #watchedPath: string | undefined
  #inode: number | undefined
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(folder: string) {
    this.#folder = folder
    this.#attach()
  }

  add(name: string, wake: () => void): () => boolean {
    const wakes = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, wakes.add(wake))
    return () => {
      wakes.delete(wake)
      if (wakes.size === 0 && this.#listeners.get(name) === wakes) this.#listeners.delete(name)
      if (this.#listeners.size > 0) return false
      this.#close()
      return true
    }
  }

  #attach(): void {
    this.#close()
    const path = nearestFolder(this.#folder)
    try {
      if (isRemote(path)) return this.#poll()
      this.#watcher = watch(path, (_, name) => this.#onChange(name))
      // On some systems, removing the folder causes an error.
      this.#watcher.on('error', () => this.#poll())
      this.#watchedPath = path
      this.#inode = readInode(path)
    } catch {
      // The system has no watches left, or the folder has just been removed.
      this.#poll()
    }
  }

  #poll(): void {
    this.#close()
    this.#timer = setInterval(() => this.#wakeAll(), POLL_MS)
  }

  #close(): void {
    this.#watcher?.close()
    this.#watcher = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #onChange(name: string | null): void {
    const wakes = name === null || this.#watchedPath !== this.#folder ? undefined : this.#listeners.get(name)
    if (wakes !== undefined) return wakeEach(wakes)
    // Something else in the folder changed, or the folder itself appeared, disappeared or was replaced.
    const isFolderItself = name === null || this.#watchedPath !== this.#folder || name === basename(this.#folder)
    if (!isFolderItself) return
    if (nearestFolder(this.#folder) !== this.#watchedPath || readInode(this.#watchedPath) !== this.#inode)
      this.#attach()
    this.#wakeAll()
  }

  #wakeAll(): void {
    for (const wakes of [...this.#listeners.values()]) wakeEach(wakes)
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
