import type { Chunk } from '@argot/core'
import type { ProviderMetadata } from '@argot/core/stream/internal'

/**
 * Leaves texts out that are only blanks: what a model puts around its calls is layout, and no part of what it says. The
 * start of a text waits for its first sign; a text that carries data of its provider is kept whatever it says.
 */
export class BlankText {
  /** The start of a text that has said nothing yet, and its blanks. */
  #waiting: Chunk[] = []

  /** What is known to be said with this chunk. */
  push(chunk: Chunk): readonly Chunk[] {
    switch (chunk.type) {
      case 'text-start':
        if (carriesData(chunk)) return [...this.#release(), chunk]
        this.#drop()
        this.#waiting = [chunk]
        return []
      case 'text-delta':
        if (this.#waiting.length === 0) return [chunk]
        if (chunk.delta.trim() === '') {
          this.#waiting.push(chunk)
          return []
        }
        return [...this.#release(), chunk]
      case 'text-end':
        if (this.#waiting.length === 0) return [chunk]
        if (carriesData(chunk)) return [...this.#release(), chunk]
        this.#drop()
        return []
      default:
        return [chunk]
    }
  }

  #release(): Chunk[] {
    const chunks = this.#waiting
    this.#waiting = []
    return chunks
  }

  #drop(): void {
    this.#waiting = []
  }
}

/** Data of the provider, which it wants back; what Argot notes beside a text is not. */
function carriesData({ providerMetadata }: { providerMetadata?: ProviderMetadata }): boolean {
  return Object.keys(providerMetadata ?? {}).some(key => key !== 'argot')
}
