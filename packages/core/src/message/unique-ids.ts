/**
 * Unique ids: an id that is already used becomes `ID-2`, then `ID-3`. They are sent to providers and used as file
 * names, so the suffix uses only characters that all of them accept.
 */
export class UniqueIds {
  readonly #used: Set<string>
  readonly #separator: string
  /** For each repeated id, the number to try next. */
  readonly #next: Map<string, number> = new Map()

  constructor(used: Iterable<string> = [], separator: '-' | '_' = '-') {
    this.#used = new Set(used)
    this.#separator = separator
  }

  has(id: string): boolean {
    return this.#used.has(id)
  }

  add(id: string): void {
    this.#used.add(id)
  }

  /** The id itself, or its next free variant. Doesn't reserve it. */
  free(id: string): string {
    return this.#used.has(id) ? this.numbered(id, 2) : id
  }

  /** The first free id of `STEM-FROM`, `STEM-(FROM+1)`, …. Doesn't reserve it. */
  numbered(stem: string, from: number): string {
    let number = Math.max(from, this.#next.get(stem) ?? 0)
    while (this.#used.has(`${stem}${this.#separator}${number}`)) number++
    this.#next.set(stem, number)
    return `${stem}${this.#separator}${number}`
  }
}
