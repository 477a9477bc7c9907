import type { Message } from '@argot/core'
import type { Conversation } from './conversation.ts'

export interface DocumentNewsOptions {
  conversation: Conversation
  /** A run of this chat writes the document: it shows that itself. */
  isRunning: () => boolean
  show: (messages: readonly Message[]) => Promise<void>
}

/** What other processes, such as the page, add to the document of a chat. */
export class DocumentNews {
  readonly #options: DocumentNewsOptions
  /** The messages that are on the screen, or scrolled away. */
  readonly #known = new Set<string>()
  #watch: { file: string; controller: AbortController } | undefined
  #messages: readonly Message[] = []

  constructor(options: DocumentNewsOptions) {
    this.#options = options
  }

  /** The messages of the document when it was read last. */
  get messages(): readonly Message[] {
    return this.#messages
  }

  /** These messages have been shown. From then on their document is watched. */
  know(messages: readonly Message[]): void {
    this.#messages = messages
    for (const { id } of messages) this.#known.add(id)
    const { file } = this.#options.conversation
    if (file === undefined || file === this.#watch?.file) return
    this.close()
    this.#watch = { file, controller: new AbortController() }
    void this.#follow(this.#watch.controller.signal)
  }

  /** Shows the messages that others have added and finished. */
  async catchUp(): Promise<void> {
    const { conversation, isRunning, show } = this.#options
    if (isRunning() || (await conversation.isBusy())) return
    const { messages } = await conversation.read()
    if (isRunning()) return
    const news = messages.filter(({ id }) => !this.#known.has(id))
    this.know(messages)
    if (news.length > 0) await show(news)
  }

  close(): void {
    this.#watch?.controller.abort()
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of this.#options.conversation.changes(signal)) await this.catchUp()
    } catch {
      // A folder that can't be watched is read when the next message is sent.
    }
  }
}
