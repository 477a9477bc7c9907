import { Topic } from './topic.ts'

const opened = { isFolded: false, isAutomatic: false }

/** The key, among foldable things, of the line above all of a message's calls. */
export function widgetKey(messageId: string): string {
  return `widget ${messageId}`
}

/** The key of the row for several calls: it is open if one of them was opened. */
export function groupKey(callKey: string): string {
  return `group ${callKey}`
}

/** Which turns are folded to their line, and whether a person asked for that. */
export class Folds extends Topic {
  readonly #folded: Map<string, { isFolded: boolean; isAutomatic: boolean }> = new Map()

  /** Undefined for a turn without a decision. */
  get(messageId: string): boolean | undefined {
    return this.#folded.get(messageId)?.isFolded
  }

  /**
   * It was folded automatically: out of view, or because it came with the history. A failure that shows up opens it
   * again.
   */
  isAutomatic(messageId: string): boolean {
    return this.#folded.get(messageId)?.isAutomatic === true
  }

  set(messageId: string, isFolded: boolean, isAutomatic: boolean): void {
    this.#folded.set(messageId, { isFolded, isAutomatic })
    this.notify()
  }

  /** Whether something closed inside a turn was opened: the line above all of its calls, or the row for several. */
  isOpened(key: string): boolean {
    return this.get(key) === false
  }

  /** Brings a call onto the page: opens its turn, the line above all of its calls, and the row for several. */
  reveal(messageId: string, callKey: string): void {
    for (const key of [messageId, widgetKey(messageId), groupKey(callKey)]) this.#folded.set(key, opened)
    this.notify()
  }

  /** Folds a turn unless there is already a decision about it. */
  offer(messageId: string): void {
    if (!this.#folded.has(messageId)) this.set(messageId, true, true)
  }
}
