import type { ChatListMessagesResult } from '@argot/core/types'
import type { Conversation } from '../conversation.ts'
import type { Reporter } from '../reporter.ts'
import { Value } from '../topic.ts'

export interface HistoryState {
  /** The first page is loading. */
  isLoading: boolean
  hasOlder: boolean
  isLoadingOlder: boolean
}

/** The adapter's stored messages: the newest page, then older ones on request. */
export class History extends Value<HistoryState> {
  readonly #conversation: Conversation
  readonly #reporter: Reporter
  readonly #conversationId: string | undefined
  #cursor: string | undefined

  constructor(conversation: Conversation, reporter: Reporter, conversationId: string | undefined) {
    super({ isLoading: false, hasOlder: false, isLoadingOlder: false })
    this.#conversation = conversation
    this.#reporter = reporter
    this.#conversationId = conversationId
  }

  /** The newest page, if the conversation is empty; undefined if there is none. Never rejects. */
  async first(): Promise<ChatListMessagesResult | undefined> {
    const { adapter } = this.#reporter.handlers
    const conversationId = this.#conversationId
    if (this.#count > 0 || conversationId === undefined || adapter.listMessages === undefined) return undefined
    this.set({ ...this.get(), isLoading: true })
    try {
      const result = await adapter.listMessages({ conversationId })
      if (this.#count > 0) return undefined
      this.#note(result)
      return result
    } catch (error) {
      this.#reporter.report('HISTORY_ERROR', 'history', error)
      return undefined
    } finally {
      this.set({ ...this.get(), isLoading: false })
    }
  }

  /** Inserts messages sent elsewhere since, in another tab or in a terminal, where they belong. Never rejects. */
  async newer(): Promise<void> {
    const { adapter } = this.#reporter.handlers
    const conversationId = this.#conversationId
    if (this.#count === 0 || conversationId === undefined || adapter.listMessages === undefined) return
    try {
      const { messages } = await adapter.listMessages({ conversationId })
      const { mergeMessages } = await import('../merge-messages.ts')
      const here = this.#conversation.messages()
      const all = mergeMessages(here, messages)
      if (all.length > here.length) this.#conversation.replaceAll(all)
    } catch {
      // The run's reader reports connection problems.
    }
  }

  /** Puts the page before the oldest message above it. Does nothing while one is loading, or if there is none. */
  async older(): Promise<void> {
    const { adapter } = this.#reporter.handlers
    const { hasOlder, isLoadingOlder } = this.get()
    const conversationId = this.#conversationId
    const cursor = this.#cursor
    if (!hasOlder || isLoadingOlder || conversationId === undefined || cursor === undefined) return
    this.set({ ...this.get(), isLoadingOlder: true })
    try {
      const result = await adapter.listMessages?.({ conversationId, cursor, direction: 'backward' })
      if (result === undefined) return
      // A server that returns the same cursor again has nothing more, whatever it says.
      this.#note(result.cursor === cursor ? { messages: [] } : result)
      this.#conversation.prepend(result.messages)
    } catch (error) {
      this.set({ ...this.get(), hasOlder: false })
      this.#reporter.report('HISTORY_ERROR', 'history', error)
    } finally {
      this.set({ ...this.get(), isLoadingOlder: false })
    }
  }

  get #count(): number {
    return this.#conversation.ids.get().length
  }

  #note({ cursor, hasMore }: ChatListMessagesResult): void {
    this.#cursor = cursor
    this.set({ ...this.get(), hasOlder: hasMore === true && cursor !== undefined })
  }
}
