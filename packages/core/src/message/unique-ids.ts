/**
 * Ids of which none comes twice: one that is taken becomes `ID-2`, then `ID-3`. They are sent to providers and are names
 * of files, so nothing is added that one of them refuses.
 */
export class UniqueIds {
  readonly #taken: Set<string>
  readonly #mark: string
  /** For each id that came again, the number that its next namesake tries first. */
  readonly #next: Map<string, number> = new Map()

  /** `mark` is between an id and its number. */
  constructor(taken: Iterable<string> = [], mark: '-' | '_' = '-') {
    this.#taken = new Set(taken)
    this.#mark = mark
  }

  has(id: string): boolean {
    return this.#taken.has(id)
  }

  add(id: string): void {
    this.#taken.add(id)
  }

  /** The id itself, or the next one of its name that is free. It is not taken by this. */
  free(id: string): string {
    return this.#taken.has(id) ? this.numbered(id, 2) : id
  }

  /** The first of `STEM-FROM`, `STEM-(FROM+1)`, … that is free. It is not taken by this. */
  numbered(stem: string, from: number): string {
    let number = Math.max(from, this.#next.get(stem) ?? 0)
    while (this.#taken.has(`${stem}${this.#mark}${number}`)) number++
    this.#next.set(stem, number)
    return `${stem}${this.#mark}${number}`
  }
}
