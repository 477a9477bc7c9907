/** The messages that were sent, newest last, with a place in them and the draft that was left for it. */
export class MessageHistory {
  readonly #entries: string[]
  #at: number
  #draft = ''

  constructor(entries: readonly string[] = []) {
    this.#entries = [...entries]
    this.#at = this.#entries.length
  }

  /** Remembers a message; one that repeats the last is not kept twice. */
  add(text: string): boolean {
    this.rewind()
    if (text.trim() === '' || this.#entries.at(-1) === text) return false
    this.#entries.push(text)
    this.#at = this.#entries.length
    return true
  }

  /** Goes back to the draft's place. */
  rewind(): void {
    this.#at = this.#entries.length
    this.#draft = ''
  }

  /** The message before; undefined at the oldest. `current` is kept if it is the draft. */
  previous(current: string): string | undefined {
    if (this.#at === 0) return undefined
    if (this.#at === this.#entries.length) this.#draft = current
    this.#at--
    return this.#entries[this.#at]
  }

  /** The message after, and the draft after the newest; undefined at the draft. */
  next(): string | undefined {
    if (this.#at >= this.#entries.length) return undefined
    this.#at++
    return this.#at === this.#entries.length ? this.#draft : this.#entries[this.#at]
  }

  /** The newest message before `from` that has this text in it, whatever the case. */
  search(query: string, from: number = this.#entries.length): { index: number; text: string } | undefined {
    const words = query.toLowerCase()
    for (let index = Math.min(from, this.#entries.length) - 1; index >= 0; index--) {
      const text = this.#entries[index]!
      if (text.toLowerCase().includes(words)) return { index, text }
    }
    return undefined
  }
}
