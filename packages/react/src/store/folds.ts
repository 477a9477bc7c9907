import { Topic } from './topic.ts'

const opened = { isFolded: false, isAutomatic: false }

/** The line over all calls of a message, among what can be folded. */
export function widgetKey(messageId: string): string {
  return `widget ${messageId}`
}

/** The row that stands for several calls: it is open where one of them was opened. */
export function groupKey(callKey: string): string {
  return `group ${callKey}`
}

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

  /** Whether something closed inside a turn was opened: the line over all of its calls, or the row of several. */
  isOpened(key: string): boolean {
    return this.get(key) === false
  }

  /** Brings a call onto the page: opens its turn, the line over all of its calls, and the row that stands for several. */
  reveal(messageId: string, callKey: string): void {
    for (const key of [messageId, widgetKey(messageId), groupKey(callKey)]) this.#folded.set(key, opened)
    this.notify()
  }

  /** Folds a turn nobody has decided about. */
  offer(messageId: string): void {
    if (!this.#folded.has(messageId)) this.set(messageId, true, true)
  }
}
