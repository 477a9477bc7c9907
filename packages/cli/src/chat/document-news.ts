import type { Message } from '@argot/core'
import type { DocumentConversation } from './conversation.ts'

export interface DocumentNewsOptions {
  conversation: DocumentConversation
  /** A run of this chat is writing the document, and shows its own output. */
  isRunning: () => boolean
  show: (messages: readonly Message[]) => Promise<void>
}

/** Messages that other processes, such as the page, add to a chat's document. */
export class DocumentNews {
  readonly #options: DocumentNewsOptions
  readonly #shownIds = new Set<string>()
  #watch: { file: string; controller: AbortController } | undefined
  #messages: readonly Message[] = []

  constructor(options: DocumentNewsOptions) {
    this.#options = options
  }

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** Also starts to watch their document. */
  markShown(messages: readonly Message[]): void {
    this.#messages = messages
    for (const { id } of messages) this.#shownIds.add(id)
    const { file } = this.#options.conversation
    if (file === undefined || file === this.#watch?.file) return
    this.close()
    this.#watch = { file, controller: new AbortController() }
    void this.#follow(this.#watch.controller.signal)
  }

  async catchUp(): Promise<void> {
    const { conversation, isRunning, show } = this.#options
    if (isRunning() || (await conversation.isBusy())) return
    const { messages } = await conversation.read()
    if (isRunning()) return
    const news = messages.filter(({ id }) => !this.#shownIds.has(id))
    this.markShown(messages)
    if (news.length > 0) await show(news)
  }

  close(): void {
    this.#watch?.controller.abort()
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of this.#options.conversation.changes(signal)) await this.catchUp()
    } catch {
      // If the folder can't be watched, it is read when the next message is sent.
    }
  }
}
