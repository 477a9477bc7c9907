import { UniqueIds } from '../../message/unique-ids.ts'

/**
 * The ids of calls as every provider takes them: letters, digits, `_` and `-`, at most 64, each once in a prompt. An id
 * that is so already stays as it is.
 */
export class PromptIds {
  readonly #ids: UniqueIds = new UniqueIds()

  take(id: string): string {
    const sound = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'call'
    const unique = this.#ids.has(sound) ? this.#ids.numbered(sound.slice(0, 56), 2) : sound
    this.#ids.add(unique)
    return unique
  }
}
