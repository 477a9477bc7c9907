import { realpathSync } from 'node:fs'

/**
 * Caches real paths that are needed again and again while a document is read. The cache lasts until the next turn of
 * the event loop.
 */
export class RealPaths {
  readonly #known: Map<string, string> = new Map()

  /** The path unchanged if it doesn't exist. */
  of(path: string): string {
    const cached = this.#known.get(path)
    if (cached !== undefined) return cached
    if (this.#known.size === 0) setImmediate(() => this.#known.clear())
    const real = realPath(path)
    this.#known.set(path, real)
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
