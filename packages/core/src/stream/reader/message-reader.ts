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

/** What a message follows: the previous message, or the beginning of the stream. */
export interface Predecessor {
  next: MessageBuilder | undefined
}

/** Reads a chain of messages, independently of its owner and other readers. */
export class ChainReader implements MessageReader {
  #at: Predecessor
  /** Undefined before the first message. */
  #cursor: MessageCursor | undefined

  /** `message`: the newest one, if any. */
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
