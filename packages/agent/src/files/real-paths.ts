import { realpathSync } from 'node:fs'

/** Real paths that are asked for again and again while a document is read. They are looked up again once others had a turn. */
export class RealPaths {
  readonly #known: Map<string, string> = new Map()

  /** All links resolved; the path itself where it does not exist. */
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
