/** More than anyone uses. A client that invents names can't fill the memory. */
const MOST_MODELS = 1000

export class TaughtModels {
  readonly #models: Set<string> = new Set()

  has(model: string): boolean {
    return this.#models.has(model)
  }

  add(model: string): void {
    if (this.#models.size >= MOST_MODELS) this.#models.clear()
    this.#models.add(model)
  }
}
