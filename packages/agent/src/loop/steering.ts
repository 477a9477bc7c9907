import { getMessageText, type Message } from '@argot/core'
import { firstCharacters } from '@argot/core/stream/internal'

/** In characters, for a message that is given as the reason for a denial. */
const LONGEST_REASON = 2000

interface WaitingMessage {
  message: Message
  settle(isTaken: boolean): void
}

/**
 * The messages that a user sends to a run while it works. They wait here in order until the next step. Each id is taken
 * once, so a message that arrives again, from the inbox or after a crash, changes nothing.
 */
export class Steering {
  readonly #ids: Set<string> = new Set()
  #waiting: WaitingMessage[] = []
  #isClosed = false
  checkInbox: () => Promise<void> = async () => {}

  /** Takes the ids of messages that the log already has. */
  markKnown(ids: Iterable<string>): void {
    for (const id of ids) this.#ids.add(id)
  }

  /** Resolves when the log has the message, or with false if the run ends without it. */
  add(message: Message): Promise<boolean> {
    if (this.#isClosed || this.#ids.has(message.id)) return Promise.resolve(false)
    this.#ids.add(message.id)
    return new Promise(settle => this.#waiting.push({ message, settle }))
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Why a call is denied while messages wait: the model hasn't read them yet. */
  get denial(): { approved: false; reason: string } | undefined {
    if (this.isEmpty) return undefined
    const text = this.#waiting.map(({ message }) => getMessageText(message)).join('\n\n')
    return { approved: false, reason: firstCharacters(text, LONGEST_REASON) }
  }

  /** Hands the messages over; `synced` resolves when the log has them. */
  take(write: (messages: readonly Message[]) => void, synced: () => Promise<void>): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    write(waiting.map(({ message }) => message))
    return synced().then(() => {
      for (const { settle } of waiting) settle(true)
    })
  }

  close(): void {
    this.#isClosed = true
    for (const { settle } of this.#waiting.splice(0)) settle(false)
  }
}
