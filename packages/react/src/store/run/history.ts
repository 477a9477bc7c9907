import type { ChatListMessagesResult } from '@argot/core/types'
import type { Conversation } from '../conversation.ts'
import type { Reporter } from '../reporter.ts'
import { Value } from '../topic.ts'

/** What is known of the messages that an adapter keeps. */
export interface HistoryState {
  /** The first page is on its way. */
  isLoading: boolean
  /** There are older messages than those on the page. */
  hasOlder: boolean
  isLoadingOlder: boolean
}

/** The messages that the adapter has kept: the newest page, then older ones when they are asked for. */
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

  /** The newest page, where the conversation is empty; undefined where there is none. Never rejects. */
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

  /** Puts what was said elsewhere since, in another tab or in a terminal, where it belongs. Never rejects. */
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
      // Whoever reads the run says what is wrong with the connection.
    }
  }

  /** Puts the page before the oldest message above it; does nothing while one is on its way, or where there is none. */
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
      // A server that gives the same place again has nothing more, whatever it says.
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
