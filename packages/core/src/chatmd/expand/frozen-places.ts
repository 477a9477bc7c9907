import type { ElementNode } from '../reader/tree.ts'
import type { FrozenPlace, FrozenSource, FrozenSourceStore } from './resolver.ts'

/** Tells apart the places in a document that include the same thing: by how many came before. */
export class FrozenPlaces {
  isAnswered = false
  readonly #frozen: FrozenSourceStore | undefined
  readonly #document: string | undefined
  readonly #counts: Map<string, number> = new Map()

  constructor(frozen: FrozenSourceStore | undefined, document: string | undefined) {
    this.#frozen = frozen
    this.#document = document
  }

  /** Counts this place: call it once for each, in document order. */
  next(
    { kind, src, local, html }: Omit<FrozenPlace, 'from' | 'nth' | 'at'>,
    { start, openEnd: end }: Pick<ElementNode, 'start' | 'openEnd'>,
    file: string | undefined,
  ): FrozenPlace {
    const from = file === this.#document ? undefined : file
    const like = JSON.stringify([kind, src, local, html, from])
    const nth = this.#counts.get(like) ?? 0
    this.#counts.set(like, nth + 1)
    return { kind, src, local, html, from, nth, at: { start, end } }
  }

  /** Returns what a place in an answered turn contained when it was sent. An element with `live` is read again. */
  async recall(where: FrozenPlace, isLive: boolean): Promise<FrozenSource | undefined> {
    return this.isAnswered && !isLive ? this.#frozen?.recall(where) : undefined
  }

  keep(where: FrozenPlace, source: FrozenSource): void {
    this.#frozen?.keep(where, source)
  }
}
