import { closeSync, existsSync, readFileSync, statSync, truncateSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Disk, nodeDisk } from '../../src/store/folder/disk.ts'

/** The process is gone. */
export class Killed extends Error {}

/** A disk that waits for nothing, for tests that write a lot. */
export const fastDisk: Disk = { ...nodeDisk, sync: async () => {}, syncNow: () => {} }

/**
 * A disk whose process dies at one operation: before it, in the middle of it (a write that took half), or behind it.
 * Nothing is written from then on.
 */
export class DeadlyDisk implements Disk {
  /** How many operations there were. */
  count = 0
  readonly #at: number
  readonly #when: 'before' | 'within' | 'behind'
  readonly #open: Set<number> = new Set()
  #dead = false

  constructor(at: number, when: 'before' | 'within' | 'behind' = 'before') {
    this.#at = at
    this.#when = when
  }

  open(path: string, flags: string | number): number {
    const fd = this.#live(() => nodeDisk.open(path, flags))
    this.#open.add(fd)
    return fd
  }

  write(fd: number, bytes: Uint8Array): number {
    if (this.#when === 'within' && this.count === this.#at && !this.#dead) {
      nodeDisk.write(fd, bytes.subarray(0, bytes.length >> 1))
    }
    return this.#live(() => nodeDisk.write(fd, bytes))
  }

  truncate(fd: number, size: number): void {
    this.#live(() => nodeDisk.truncate(fd, size))
  }

  async sync(): Promise<void> {
    this.#live(() => {})
  }

  syncNow(): void {
    this.#live(() => {})
  }

  close(fd: number): void {
    this.#open.delete(fd)
    nodeDisk.close(fd)
  }

  remove(path: string): void {
    this.#live(() => nodeDisk.remove(path))
  }

  /** Gives back what the process would have given back by dying. */
  bury(): void {
    for (const fd of this.#open) closeSync(fd)
    this.#open.clear()
  }

  #live<T>(operation: () => T): T {
    if (this.#dead) throw new Killed()
    const isLast = this.count++ === this.#at
    if (!isLast) return operation()
    this.#dead = true
    if (this.#when === 'behind') operation()
    throw new Killed()
  }
}

/**
 * A disk that knows what a power failure may take: everything that was written to a file since it was synced, and a new
 * file as a whole until its folder is synced.
 */
export class ForgetfulDisk implements Disk {
  readonly #paths: Map<number, string> = new Map()
  /** How many bytes of a file are safe. */
  readonly #safe: Map<string, number> = new Map()
  /** New files whose names are not on the disk yet. */
  readonly #unnamed: Set<string> = new Set()

  open(path: string, flags: string | number): number {
    const isNew = !existsSync(path)
    const fd = nodeDisk.open(path, flags)
    this.#paths.set(fd, path)
    if (isNew) this.#unnamed.add(path)
    if (!this.#safe.has(path)) this.#safe.set(path, isNew ? -1 : sizeOf(path))
    return fd
  }

  write(fd: number, bytes: Uint8Array): number {
    return nodeDisk.write(fd, bytes)
  }

  truncate(fd: number, size: number): void {
    nodeDisk.truncate(fd, size)
  }

  async sync(fd: number): Promise<void> {
    this.syncNow(fd)
  }

  syncNow(fd: number): void {
    const path = this.#paths.get(fd)!
    this.#safe.set(path, sizeOf(path))
    for (const name of this.#unnamed) if (dirname(name) === path) this.#unnamed.delete(name)
  }

  close(fd: number): void {
    nodeDisk.close(fd)
  }

  remove(path: string): void {
    nodeDisk.remove(path)
  }

  /** The power fails: of each file some of what was not synced is gone. `keep` says how much, from 0 to 1, of each. */
  fail(keep: (path: string) => number): void {
    for (const [path, safe] of this.#safe) {
      if (!existsSync(path) || statSync(path).isDirectory()) continue
      if (this.#unnamed.has(path) && keep(path) < 1) {
        unlinkSync(path)
        continue
      }
      const size = sizeOf(path)
      if (safe >= size) continue
      const kept = Math.max(safe, 0) + Math.floor((size - Math.max(safe, 0)) * keep(path))
      if (safe < 0 && kept === 0) unlinkSync(path)
      else truncateSync(path, kept)
    }
  }
}

function sizeOf(path: string): number {
  try {
    return readFileSync(path).length
  } catch {
    return 0
  }
}
