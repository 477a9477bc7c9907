import type { Chunk } from '@argot/core'
import type { ProviderMetadata } from '@argot/core/stream/internal'

/**
 * Drops texts that contain only white space: models put them around calls as layout. The start of a text is held back
 * until its first visible character. A text that carries provider data is always kept.
 */
export class BlankText {
  /** The start of a text and its white space, held back until something visible follows. */
  #waiting: Chunk[] = []

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

/** Provider data has to be sent back to the provider. Argot's own metadata doesn't matter here. */
function carriesData({ providerMetadata }: { providerMetadata?: ProviderMetadata }): boolean {
  return Object.keys(providerMetadata ?? {}).some(key => key !== 'argot')
}
