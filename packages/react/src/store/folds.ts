import { Topic } from './topic.ts'

/** Which turns are folded to their line, and whether somebody asked for that. */
export class Folds extends Topic {
  readonly #folded: Map<string, { isFolded: boolean; isAutomatic: boolean }> = new Map()

  /** Undefined for a turn that nothing was decided about. */
  get(messageId: string): boolean | undefined {
    return this.#folded.get(messageId)?.isFolded
  }

  /** It was folded because nobody looked; a failure that shows up opens it again. */
  isAutomatic(messageId: string): boolean {
    return this.#folded.get(messageId)?.isAutomatic === true
  }

  set(messageId: string, isFolded: boolean, isAutomatic: boolean): void {
    this.#folded.set(messageId, { isFolded, isAutomatic })
    this.notify()
  }

  /** Folds a turn nobody has decided about. */
  offer(messageId: string): void {
    if (!this.#folded.has(messageId)) this.set(messageId, true, true)
  }
}
