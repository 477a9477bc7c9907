import type { Message } from '@argot/core'
import { defined, isRecord } from '@argot/core/stream/internal'
import type { ChatAdapter } from '../../types/index.ts'
import type { ChatEvent } from '../chat-event.ts'
import type { ChatStoreHandlers } from '../chat-store-options.ts'
import type { Conversation } from '../conversation.ts'
import type { Reporter } from '../reporter.ts'
import { Topic } from '../topic.ts'
import type { RunDriver } from './run-driver.ts'

/** The settings of another try; anything left out stays the same. */
export interface TryWishes {
  model?: string | undefined
  syntax?: string | undefined
}

interface AnswersStore {
  readonly conversation: Conversation
  readonly adapter: ChatAdapter
  readonly handlers: ChatStoreHandlers
  readonly isRunning: boolean
  stop(): void
  regenerate(messageId: string): Promise<void>
  join(): Promise<void>
  onEvent(listener: (event: ChatEvent) => void): unknown
}

type Feedback = 'good' | 'bad' | 'none'

/** The answers to one question that only this page has, each with everything after it. One of them is on the page. */
interface Variants {
  tails: (readonly Message[])[]
  current: number
}

export type TryChoices = Awaited<ReturnType<NonNullable<ChatAdapter['listModels']>>>

type BranchList = Awaited<ReturnType<NonNullable<ChatAdapter['listBranches']>>>

/**
 * The branches of answers, and the feedback on them. An adapter that makes branches stores them as conversations; with
 * any other adapter, they exist here until the user leaves the page.
 */
export class Answers extends Topic {
  /** The branches are known, so nothing in a bar will move. */
  isLoaded = false
  readonly #store: AnswersStore
  readonly #reporter: Reporter
  readonly #driver: RunDriver
  /** By the question's id. */
  readonly #variants: Map<string, Variants> = new Map()
  readonly #feedback: Map<string, Feedback> = new Map()
  #branchPoints: BranchList = []
  #models: Promise<TryChoices> | undefined

  constructor(store: AnswersStore, reporter: Reporter, driver: RunDriver) {
    super()
    this.#store = store
    this.#reporter = reporter
    this.#driver = driver
    void this.#load()
    store.onEvent(({ type }) => {
      // The answer of a new branch has an id now.
      if (type === 'run-ended' && this.#branchPoints.some(({ messageId }) => messageId === undefined)) void this.#load()
    })
  }

  get canGiveFeedback(): boolean {
    const { onFeedback, adapter } = this.#store.handlers
    return onFeedback !== undefined || adapter.giveFeedback !== undefined
  }

  /** "2/3": an answer's position among its branches; undefined for an answer without branches. */
  place(messageId: string): string | undefined {
    const variants = this.#variantsAt(messageId)
    if (variants !== undefined) return `${variants.current + 1}/${variants.tails.length}`
    const point = this.#branchPoints.find(one => one.messageId === messageId)
    return point && `${point.current + 1}/${point.conversations.length}`
  }

  async go(messageId: string, by: number): Promise<void> {
    const variants = this.#variantsAt(messageId)
    if (variants !== undefined) {
      if (!this.#store.isRunning) this.#showVariant(messageId, variants, variants.current + by)
      return
    }
    const point = this.#branchPoints.find(one => one.messageId === messageId)
    const conversationId = point?.conversations[point.current + by]
    if (conversationId !== undefined) await this.#show({ conversationId, isNew: false })
  }

  /** The earlier answer stays. */
  async tryAgain(messageId: string, wishes: TryWishes): Promise<void> {
    const before = this.#store.conversation.record(messageId)?.message()
    if (before === undefined) return
    if (this.#store.adapter.branch === undefined) await this.#tryHere(messageId)
    else await this.branch(before, undefined, wishes)
  }

  /** False if the adapter couldn't make it. */
  async branch(before: Message, message: Message | undefined, wishes: TryWishes = {}): Promise<boolean> {
    const { adapter, conversation } = this.#store
    try {
      const input = { before, messages: conversation.messages(), ...defined({ message, ...wishes }) }
      const conversationId = await adapter.branch!(input)
      await this.#show({ conversationId, isNew: true, ...defined({ ...wishes }) })
      return true
    } catch (error) {
      this.#reporter.report('BRANCH_ERROR', 'adapter', error)
      return false
    }
  }

  /** The choices for another try; requested once. Undefined if there are none, or if they are unknown. */
  async models(): Promise<TryChoices | undefined> {
    this.#models ??= this.#store.adapter.listModels?.()
    try {
      return await this.#models
    } catch (error) {
      this.#models = undefined
      this.#reporter.report('BRANCH_ERROR', 'adapter', error)
      return undefined
    }
  }

  feedback(messageId: string): Feedback {
    const earlierFeedback = this.#store.conversation.record(messageId)?.head().metadata?.feedback
    const value = isRecord(earlierFeedback) ? earlierFeedback.value : undefined
    return this.#feedback.get(messageId) ?? (value === 'good' || value === 'bad' ? value : 'none')
  }

  /** Shown before the adapter has stored it; if that fails, it is taken back here. */
  async giveFeedback(messageId: string, value: Feedback): Promise<void> {
    const message = this.#store.conversation.record(messageId)?.message()
    if (message === undefined) return
    const before = this.feedback(messageId)
    this.#setFeedback(messageId, value)
    const { onFeedback, adapter } = this.#store.handlers
    this.#reporter.call(() => onFeedback?.({ message, value }))
    try {
      await adapter.giveFeedback?.({ message, value }).catch(async error => {
        // The run has the document: that is over soon.
        if (!isRecord(error) || error.status !== 409 || !this.#store.isRunning) throw error
        await this.#driver.idle()
        if (this.feedback(messageId) === value) await adapter.giveFeedback?.({ message, value })
      })
    } catch (error) {
      if (this.feedback(messageId) === value) this.#setFeedback(messageId, before)
      this.#reporter.report('FEEDBACK_ERROR', 'adapter', error)
    }
  }

  #setFeedback(messageId: string, value: Feedback): void {
    this.#feedback.set(messageId, value)
    this.notify()
  }

  async #load(): Promise<void> {
    // An unreachable server is reported elsewhere; the bars do without branches then.
    this.#branchPoints = (await this.#store.adapter.listBranches?.().catch(() => [])) ?? []
    this.isLoaded = true
    this.notify()
  }

  async #show(branch: { conversationId: string; isNew: boolean; model?: string; syntax?: string }): Promise<void> {
    const { handlers, adapter, conversation } = this.#store
    if (handlers.onBranch !== undefined) {
      await handlers.onBranch(branch)
      return
    }
    if (adapter.openBranch === undefined) return
    this.#driver.leave()
    adapter.openBranch(branch.conversationId)
    conversation.replaceAll([])
    this.#branchPoints = []
    await Promise.all([this.#store.join(), this.#load()])
  }

  #variantsAt(messageId: string): Variants | undefined {
    if (this.#variants.size === 0) return undefined
    const ids = this.#store.conversation.ids.get()
    return this.#variants.get(ids[ids.indexOf(messageId) - 1] ?? '')
  }

  #showVariant(messageId: string, variants: Variants, to: number): void {
    const { conversation } = this.#store
    const next = variants.tails[to]
    if (next === undefined) return
    const messages = conversation.messages()
    variants.tails[variants.current] = messages.slice(messages.findIndex(({ id }) => id === messageId))
    variants.current = to
    conversation.truncateFrom(messageId)
    for (const message of next) conversation.put(message)
    this.notify()
  }

  async #tryHere(messageId: string): Promise<void> {
    const { conversation } = this.#store
    this.#store.stop()
    const messages = conversation.messages()
    const answer = messages.findIndex(({ id }) => id === messageId)
    const question = messages.slice(0, answer).findLastIndex(({ role }) => role === 'user')
    if (question < 0) return
    const { id } = messages[question]!
    const variants = this.#variants.get(id) ?? { tails: [], current: 0 }
    const before = variants.current
    variants.tails[before] = messages.slice(question + 1)
    variants.current = variants.tails.push([]) - 1
    this.#variants.set(id, variants)
    await this.#store.regenerate(messageId)
    const isEmpty = conversation.ids.get().at(-1) === id
    // Without an answer there is no way back from this try.
    if (isEmpty && variants.current === variants.tails.length - 1) {
      variants.tails.pop()
      variants.current = before
      for (const message of variants.tails[before]!) conversation.put(message)
      if (variants.tails.length === 1) this.#variants.delete(id)
    }
    this.notify()
  }
}
