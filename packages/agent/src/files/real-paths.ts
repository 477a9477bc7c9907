import { realpathSync } from 'node:fs'

/** Reading a document needs the same paths often. The cache lasts until the next turn of the event loop. */
export class RealPaths {
  readonly #cache: Map<string, string> = new Map()

  /** The path unchanged if it doesn't exist. */
  resolve(path: string): string {
    const cached = this.#cache.get(path)
    if (cached !== undefined) return cached
    if (this.#cache.size === 0) setImmediate(() => this.#cache.clear())
    const real = realPath(path)
    this.#cache.set(path, real)
    return real
  }
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
