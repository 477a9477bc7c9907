/**
 * The key of an id's nth use in a message, starting at 1: `ID`, `ID#2`, `ID#3`. Keys stay inside the process and the
 * document. Providers never use `#` in ids.
 */
export function toUseKey(id: string, use: number): string {
  return use === 1 ? id : `${id}#${use}`
}

/** Every key is unique in the message, even if a model writes one of our keys as an id. */
export class CallKeys {
  readonly uses: Map<string, number>
  readonly #used: Set<string> = new Set()

  /** `uses`: how often ids were used before. */
  constructor(uses: Iterable<readonly [id: string, uses: number]> = []) {
    this.uses = new Map(uses)
  }

  take(id: string): string {
    let use = (this.uses.get(id) ?? 0) + 1
    while (this.#used.has(toUseKey(id, use))) use++
    this.uses.set(id, use)
    const key = toUseKey(id, use)
    this.#used.add(key)
    return key
  }

  /** For a call that already has a key; `use` is its number among the calls with its id. */
  restore(id: string, key: string, use: number = (this.uses.get(id) ?? 0) + 1): void {
    this.uses.set(id, Math.max(this.uses.get(id) ?? 0, use))
    this.#used.add(key)
  }

  /** For a call that is no longer in the message. If it is made again, it gets the same key. */
  giveBack(id: string, key: string): void {
    this.uses.set(id, (this.uses.get(id) ?? 1) - 1)
    this.#used.delete(key)
  }
}
