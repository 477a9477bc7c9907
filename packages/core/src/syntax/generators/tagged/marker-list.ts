import type { Reader } from '../../reader/reader.ts'
import { type Marker, MarkerSet } from '../marker.ts'

export type MarkerKind = 'parameter' | 'call close' | 'call open' | 'parameter close' | 'wrapper close' | 'wrapper open'

export class MarkerList {
  readonly #set: MarkerSet
  readonly #kinds: MarkerKind[] = []
  readonly #indices: number[] = []
  index = 0

  constructor(groups: readonly (readonly [MarkerKind, readonly Marker[]])[]) {
    const markers: Marker[] = []
    for (const [kind, list] of groups) {
      list.forEach((marker, index) => {
        markers.push(marker)
        this.#kinds.push(kind)
        this.#indices.push(index)
      })
    }
    this.#set = new MarkerSet(markers)
  }

  get name(): string {
    return this.#set.name
  }

  get attributes(): string {
    return this.#set.attributes
  }

  begin(): void {
    this.#set.begin()
  }

  read(reader: Reader): MarkerKind | 'none' | undefined {
    const match = this.#set.read(reader)
    if (match === undefined) return undefined
    this.index = this.#indices[match] ?? 0
    return this.#kinds[match] ?? 'none'
  }
}
