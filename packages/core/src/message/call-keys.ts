/**
 * The key of the so-manieth use of an id inside a message, from 1 on: `ID`, `ID#2`, `ID#3`. Keys stay inside the process
 * and the document; `#` is in no id that a provider makes.
 */
export function keyOfUse(id: string, use: number): string {
  return use === 1 ? id : `${id}#${use}`
}

/** Gives the calls of one message their keys. None is given twice, also where a model writes one of ours as an id. */
export class CallKeys {
  /** How often each id was used. */
  readonly uses: Map<string, number>
  readonly #taken: Set<string> = new Set()

  /** `uses`: how often ids were used before. */
  constructor(uses: Iterable<readonly [id: string, uses: number]> = []) {
    this.uses = new Map(uses)
  }

  /** The key of the next call with this id. */
  take(id: string): string {
    let use = (this.uses.get(id) ?? 0) + 1
    while (this.#taken.has(keyOfUse(id, use))) use++
    this.uses.set(id, use)
    const key = keyOfUse(id, use)
    this.#taken.add(key)
    return key
  }

  /** A call that has its key already; `use` is its number among those with its id. */
  restore(id: string, key: string, use: number = (this.uses.get(id) ?? 0) + 1): void {
    this.uses.set(id, Math.max(this.uses.get(id) ?? 0, use))
    this.#taken.add(key)
  }

  /** The call is no longer in the message: when it is made again, it gets the same key. */
  giveBack(id: string, key: string): void {
    this.uses.set(id, (this.uses.get(id) ?? 1) - 1)
    this.#taken.delete(key)
  }
}
