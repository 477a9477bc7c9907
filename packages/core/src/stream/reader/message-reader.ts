import type { MessageBuilder } from '../builder/message-builder.ts'
import { MessageCursor } from '../builder/message-cursor.ts'
import type { MessageChange } from './message-change.ts'

/** Follows an accumulator's newest message, at its own pace. */
export interface MessageReader {
  /**
   * The changes since the last call; the first call returns the whole newest message. Costs in proportion to the parts
   * touched since then and the text added. The returned changes never change.
   */
  changes(): MessageChange[]
}

/** The previous message, or the beginning of the stream. */
export interface Predecessor {
  next: MessageBuilder | undefined
}

/** Independent of the chain's owner and of other readers. */
export class ChainReader implements MessageReader {
  #at: Predecessor
  #cursor: MessageCursor | undefined

  constructor(newest: Predecessor, message: MessageBuilder | undefined) {
    this.#at = newest
    if (message !== undefined) this.#cursor = new MessageCursor(message)
  }

  changes(): MessageChange[] {
    const changes: MessageChange[] = []
    this.#cursor?.take(changes)
    for (let { next } = this.#at; next !== undefined; next = next.next) {
      this.#at = next
      this.#cursor = new MessageCursor(next)
      this.#cursor.take(changes)
    }
    return changes
  }
}
