import type { ElementNode } from '../reader/tree.ts'
import type { Frozen, FrozenPlace, FrozenSource } from './resolver.ts'

/** The places of a document that bring something in, told apart by how many like each came before. */
export class FrozenPlaces {
  /** What is read now belongs to a turn that was answered. */
  isAnswered = false
  readonly #frozen: Frozen | undefined
  readonly #document: string | undefined
  /** How many places like each there were. */
  readonly #counts: Map<string, number> = new Map()

  constructor(frozen: Frozen | undefined, document: string | undefined) {
    this.#frozen = frozen
    this.#document = document
  }

  /** The next place like this one, in the file `file`, and where it is there. */
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

  /** What a place of an answered turn held when it was sent; an element that is `live` is read again. */
  async recall(where: FrozenPlace, isLive: boolean): Promise<FrozenSource | undefined> {
    return this.isAnswered && !isLive ? this.#frozen?.recall(where) : undefined
  }

  keep(where: FrozenPlace, source: FrozenSource): void {
    this.#frozen?.keep(where, source)
  }
}
