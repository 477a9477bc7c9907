/** This many are remembered; the oldest is forgotten first. */
const REMEMBERED = 100_000

/** Remembers, in this process, which answers have been used: each is good for one run of its call. */
export class UsedApprovals {
  readonly #used: Set<string> = new Set()

  /** True the first time. */
  claim(id: string): boolean {
    if (this.#used.has(id)) return false
    this.#used.add(id)
    if (this.#used.size > REMEMBERED) this.#used.delete(this.#used.values().next().value!)
    return true
  }
}
