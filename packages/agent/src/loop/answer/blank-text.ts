import type { Chunk } from '@argot/core'
import type { ProviderMetadata } from '@argot/core/stream/internal'

/**
 * Drops texts that contain only white space: models put them around calls as layout. The start of a text is held back
 * until its first visible character. A text that carries provider data is always kept.
 */
export class BlankText {
  #held: Chunk[] = []

  push(chunk: Chunk): readonly Chunk[] {
    switch (chunk.type) {
      case 'text-start':
        if (carriesData(chunk)) return [...this.#release(), chunk]
        this.#drop()
        this.#held = [chunk]
        return []
      case 'text-delta':
        if (this.#held.length === 0) return [chunk]
        if (chunk.delta.trim() === '') {
          this.#held.push(chunk)
          return []
        }
        return [...this.#release(), chunk]
      case 'text-end':
        if (this.#held.length === 0) return [chunk]
        if (carriesData(chunk)) return [...this.#release(), chunk]
        this.#drop()
        return []
      default:
        return [chunk]
    }
  }

  #release(): Chunk[] {
    const chunks = this.#held
    this.#held = []
    return chunks
  }

  #drop(): void {
    this.#held = []
  }
}

/** Provider data has to be sent back to the provider. Argot's own metadata doesn't matter here. */
function carriesData({ providerMetadata }: { providerMetadata?: ProviderMetadata }): boolean {
  return Object.keys(providerMetadata ?? {}).some(key => key !== 'argot')
}
