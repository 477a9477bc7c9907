import type { MessageBuilder } from '../builder/message-builder.ts'
import { MessageCursor } from '../builder/message-cursor.ts'
import type { MessageChange } from './message-change.ts'

/** Follows the newest message of an accumulator, at its own pace. */
export interface MessageReader {
  /**
   * What is new since it was last asked, at first the whole newest message. Costs in proportion to the parts that were
   * touched meanwhile and the text that was added; what it gives never changes.
   */
  changes(): MessageChange[]
}

/** What a message follows: the one before it, or the beginning of the stream. */
export interface Predecessor {
  next: MessageBuilder | undefined
}

/** Reads a chain of messages, whatever its owner and other readers do. */
export class ChainReader implements MessageReader {
  #at: Predecessor
  /** Undefined before the first message. */
  #cursor: MessageCursor | undefined

  /** `message`: the newest, where there is one. */
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
