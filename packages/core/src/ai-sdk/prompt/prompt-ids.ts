/**
 * The ids of calls as every provider takes them: letters, digits, `_` and `-`, at most 64, each once in a prompt. An id
 * that is so already stays as it is.
 */
export class PromptIds {
  readonly #taken: Set<string> = new Set()
  /** For each id that came again, the number that its next namesake tries first. */
  readonly #next: Map<string, number> = new Map()

  take(id: string): string {
    const sound = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'call'
    let unique = sound
    if (this.#taken.has(sound)) {
      let number = this.#next.get(sound) ?? 2
      do unique = `${sound.slice(0, 56)}_${number++}`
      while (this.#taken.has(unique))
      this.#next.set(sound, number)
    }
    this.#taken.add(unique)
    return unique
  }
}
