/** Sent messages, newest last, with the current position and the draft to return to. */
export class MessageHistory {
  readonly #entries: string[]
  #at: number
  #draft = ''

  constructor(entries: readonly string[] = []) {
    this.#entries = [...entries]
    this.#at = this.#entries.length
  }

  /** Adds a message unless it repeats the last one. */
  add(text: string): boolean {
    this.rewind()
    if (text.trim() === '' || this.#entries.at(-1) === text) return false
    this.#entries.push(text)
    this.#at = this.#entries.length
    return true
  }

  rewind(): void {
    this.#at = this.#entries.length
    this.#draft = ''
  }

  /** The previous message. Undefined at the oldest. Stores `current` if it is the draft. */
  previous(current: string): string | undefined {
    if (this.#at === 0) return undefined
    if (this.#at === this.#entries.length) this.#draft = current
    this.#at--
    return this.#entries[this.#at]
  }

  /** The next message, or the draft after the newest. Undefined at the draft. */
  next(): string | undefined {
    if (this.#at >= this.#entries.length) return undefined
    this.#at++
    return this.#at === this.#entries.length ? this.#draft : this.#entries[this.#at]
  }

  /** The newest message before `from` that contains this text. Ignores case. */
  search(query: string, from: number = this.#entries.length): { index: number; text: string } | undefined {
    const words = query.toLowerCase()
    for (let index = Math.min(from, this.#entries.length) - 1; index >= 0; index--) {
      const text = this.#entries[index]!
      if (text.toLowerCase().includes(words)) return { index, text }
    }
    return undefined
  }
}
