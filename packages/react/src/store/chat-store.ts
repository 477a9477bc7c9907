import type { Message, MessagePart, ToolInvocation } from '@argot/core'
import { isSettled, waitsFor } from '@argot/core/stream'
import { defined } from '@argot/core/stream/internal'
import type { ChatAdapter, ChatError, ChatMessageInput } from '../types/index.ts'
import { attachmentParts } from './attachment-parts.ts'
import { toCallKey } from './call-key.ts'
import type { CallAnswerInput } from './call-ui.ts'
import type { ChatEvent } from './chat-event.ts'
import type {
  ChatStatus,
  ChatStoreHandlers,
  ChatStoreOptions,
  LostConnection,
  SendInput,
} from './chat-store-options.ts'
import { Clock } from './clock.ts'
import { Conversation } from './conversation.ts'
import { Folds } from './folds.ts'
import { Reporter } from './reporter.ts'
import type { Answers, TryWishes } from './run/answers.ts'
import { CallAnswers } from './run/call-answers.ts'
import { History } from './run/history.ts'
import { RunDriver } from './run/run-driver.ts'
import { pageStorage, type QueuedMessage, type QueueStorage, SendQueue } from './run/send-queue.ts'
import { type Subscribable, Value } from './topic.ts'

/**
 * A conversation outside React: its messages, the active run, the queue, the answers to approvals, and what a person
 * has opened and half typed. Components subscribe to the one thing that they show; nothing is lost when they unmount.
 */
export class ChatStore {
  readonly conversation: Conversation
  readonly queue: SendQueue
  /** The messages that were sent to the run but not accepted yet. */
  readonly steering: Subscribable<readonly QueuedMessage[]>
  readonly clock: Clock
  /** The adapter's stored messages that are not on the page. */
  readonly history: History
  readonly folds: Folds = new Folds()
  /** The composer's text. */
  readonly draft: Subscribable<string> & { set(text: string): void } = new Value('')
  /** The message being edited. It stays unchanged until the edit is sent. */
  readonly editing: Subscribable<Message | undefined> & { set(message: Message | undefined): void } = new Value<
    Message | undefined
  >(undefined)
  readonly #options: ChatStoreOptions
  readonly #reporter: Reporter
  readonly #driver: RunDriver
  readonly #answers: CallAnswers
  readonly #now: () => number
  readonly #nextId: () => string
  readonly #steering: Value<readonly QueuedMessage[]> = new Value<readonly QueuedMessage[]>([])
  readonly #events: Set<(event: ChatEvent) => void> = new Set()
  #draftBeforeEdit = ''
  #isJoining = false
  /** There are messages from elsewhere that have not been loaded yet. */
  #hasNews = false
  /**
   * After joining, the queue's next message is sent. It waited for the history, or the last run ended without accepting
   * a message.
   */
  #sendsAfterJoin = false

  constructor(options: ChatStoreOptions) {
    const { now = Date.now, nextId = randomId, conversationId, streamFlushInterval } = options
    this.#options = options
    this.#now = now
    this.#nextId = nextId
    this.clock = new Clock(now)
    this.#reporter = new Reporter(options)
    this.conversation = new Conversation(this.#callChanged, now)
    this.#driver = new RunDriver({
      conversation: this.conversation,
      reporter: this.#reporter,
      now,
      nextId,
      conversationId,
      streamFlushInterval,
      emit: this.#emit,
      onJoined: () => this.#steering.set(this.#steering.get().slice(1)),
      onEnd: isComplete => {
        // Another run answers the messages that this one has not accepted.
        const isLeft = this.#steering.get().length > 0
        if (isLeft) this.#steering.set([])
        this.#hasNews ||= isLeft
        this.#sendsAfterJoin ||= isLeft && isComplete
        if (isComplete && !isLeft) this.#sendNext()
        if (this.#hasNews) void this.join()
      },
    })
    this.steering = this.#steering
    this.#answers = new CallAnswers(this.conversation, this.#reporter, this.#driver)
    this.history = new History(this.conversation, this.#reporter, conversationId)
    const key = conversationId === undefined ? undefined : `argot-queue:${conversationId}`
    this.queue = new SendQueue(key, options.queueStorage)
    if (options.initialMessages !== undefined) this.setMessages(options.initialMessages)
  }

  /** Takes the newest adapter and callbacks; an active run keeps its stream. */
  update(handlers: ChatStoreHandlers): void {
    this.#reporter.handlers = handlers
  }

  get adapter(): ChatAdapter {
    return this.#reporter.handlers.adapter
  }

  get handlers(): ChatStoreHandlers {
    return this.#reporter.handlers
  }

  get status(): Subscribable<ChatStatus> {
    return this.#driver.status
  }

  get error(): Subscribable<ChatError | undefined> {
    return this.#reporter.error
  }

  /** Set while a connection is lost and being retried. */
  get lost(): Subscribable<LostConnection | undefined> {
    return this.#driver.lost
  }

  get conversationId(): string | undefined {
    return this.#options.conversationId
  }

  /** The storage for what survives a reload. */
  get storage(): QueueStorage | undefined {
    return this.#options.queueStorage ?? pageStorage()
  }

  get isRunning(): boolean {
    return this.#driver.current !== undefined
  }

  /** Calls `listener` at the boundaries of runs and calls until the returned function is called. */
  onEvent(listener: (event: ChatEvent) => void): () => void {
    this.#events.add(listener)
    return () => {
      this.#events.delete(listener)
    }
  }

  /** Shows these messages. The work of long turns among them is folded. */
  setMessages(messages: readonly ChatMessageInput[]): void {
    this.conversation.replaceAll(messages)
    for (const { id, role } of messages) if (role === 'assistant') this.folds.offer(id)
  }

  /**
   * Does what sending means now. While calls wait for an answer, a text denies them or answers their question. During a
   * run, or while earlier messages load, the message waits in the queue, or joins the run with `steer`. Otherwise it is
   * sent.
   */
  submit(input: SendInput, mode?: 'steer'): void {
    const text = input.text?.trim() ?? ''
    const hasMore = (input.attachments?.length ?? 0) > 0 || input.parts !== undefined
    if (!hasMore && text === '') return
    if (this.editing.get() !== undefined) {
      void this.#sendEdited(input)
      return
    }
    const pending = this.conversation.pending.get()
    if (!hasMore && pending.length > 0) this.#answers.answerAll(pending, text)
    else if (mode === 'steer' && this.canSteer) void this.#steer(input)
    else if (this.isRunning || this.history.get().isLoading) {
      this.#sendsAfterJoin ||= !this.isRunning
      this.queue.add({ id: this.#nextId(), text: input.text ?? '', ...defined({ attachments: input.attachments }) })
    } else void this.send(input)
  }

  /** A run is active and accepts messages while it works. */
  get canSteer(): boolean {
    return this.isRunning && this.adapter.steer !== undefined
  }

  /** A message that can't be sent to the run waits in the queue. */
  async #steer(input: SendInput): Promise<void> {
    const { text = '', attachments } = input
    const queued: QueuedMessage = { id: this.#nextId(), text, ...defined({ attachments }) }
    this.#steering.set([...this.#steering.get(), queued])
    try {
      const message = this.#createMessage(input, await attachmentParts(attachments ?? []))
      await this.adapter.steer?.({ message, ...defined({ conversationId: this.#options.conversationId }) })
    } catch (error) {
      this.#reporter.report('SEND_ERROR', 'send', error)
      this.#steering.set(this.#steering.get().filter(one => one !== queued))
      this.queue.add(queued)
      if (!this.isRunning) this.#sendNext()
    }
  }

  /** Sends immediately. An active run is stopped first. */
  send(input: SendInput): Promise<void> {
    return this.#send(input, [])
  }

  async #send(input: SendInput, files: readonly MessagePart[]): Promise<void> {
    this.stop()
    let message = this.#createMessage(input, files)
    this.conversation.put(message)
    // The run begins before the files are read, so that messages sent meanwhile wait for it.
    await this.#driver.start({ code: 'SEND_ERROR' }, async signal => {
      const attachments = input.attachments?.length ? [...input.attachments] : undefined
      if (attachments !== undefined) {
        message = { ...message, parts: [...message.parts, ...(await attachmentParts(attachments))] }
        this.conversation.put(message)
        signal.throwIfAborted()
      }
      return this.adapter.sendMessage({
        message,
        messages: this.conversation.messages(),
        readsAnswers: true,
        signal,
        ...defined({ conversationId: this.#options.conversationId, metadata: input.metadata, attachments }),
      })
    })
  }

  /** Sends a queued message now, in place of the active run. */
  sendQueued(id: string): void {
    const queued = this.queue.take(id)
    if (queued !== undefined) void this.send(queued)
  }

  /** A person has edited a queued message. If the run ended meanwhile, it is sent now. */
  releaseQueued(id: string): void {
    if (this.queue.release(id) && !this.isRunning) this.#sendNext()
  }

  /** The newest answer by default. */
  async regenerate(messageId?: string): Promise<void> {
    const messages = this.conversation.messages()
    const at = messages.findIndex(({ id }) => id === messageId)
    const question = messages.slice(0, at < 0 ? messages.length : at).findLast(({ role }) => role === 'user')
    if (question === undefined) return
    this.stop()
    const end = messages.indexOf(question) + 1
    const answer = messages[end]
    if (answer !== undefined) this.conversation.truncateFrom(answer.id)
    const { adapter } = this
    const { conversationId } = this.#options
    const input = {
      message: question,
      messages: messages.slice(0, end),
      readsAnswers: true,
      ...defined({ conversationId }),
    }
    await this.#driver.start({ code: 'REGENERATE_ERROR' }, signal =>
      adapter.regenerate === undefined || answer === undefined
        ? adapter.sendMessage({ ...input, signal })
        : adapter.regenerate({ ...input, messageId: answer.id, signal }),
    )
  }

  /**
   * Puts a message's text into the composer. The conversation stays unchanged until the edit is sent. Sending makes a
   * branch if the adapter makes branches, and otherwise replaces the message and everything after it.
   */
  edit(messageId: string): void {
    const message = this.conversation.record(messageId)?.message()
    if (message?.role !== 'user') return
    if (this.editing.get() === undefined) this.#draftBeforeEdit = this.draft.get()
    // A new object, so that listeners notice editing it again.
    this.editing.set({ ...message })
    this.draft.set(message.parts.map(part => (part.type === 'text' ? part.text : '')).join(''))
  }

  /** Leaves the message unchanged and restores the composer's previous text. */
  cancelEdit(): void {
    if (this.editing.get() === undefined) return
    this.editing.set(undefined)
    this.draft.set(this.#draftBeforeEdit)
  }

  /** Regenerates an answer, with another model or syntax if the adapter has others. This answer stays as a branch. */
  async tryAgain(messageId: string, wishes: TryWishes = {}): Promise<void> {
    await (await this.#loadAnswers()).tryAgain(messageId, wishes)
  }

  /** `none` takes the rating back. */
  async giveFeedback(messageId: string, value: 'good' | 'bad' | 'none'): Promise<void> {
    await (await this.#loadAnswers()).giveFeedback(messageId, value)
  }

  /** The branches of answers and the feedback on them; undefined until first needed. */
  readonly answers: Value<Answers | undefined> = new Value<Answers | undefined>(undefined)

  /** If loading fails, it is tried again when needed. */
  loadAnswers(): void {
    this.#loadAnswers().catch(() => {})
  }

  async #loadAnswers(): Promise<Answers> {
    const { Answers } = await import('./run/answers.ts')
    const answers = this.answers.get() ?? new Answers(this, this.#reporter, this.#driver)
    this.answers.set(answers)
    return answers
  }

  /** Ends the active run, if any. Its text stays, and every open call is settled. */
  stop(reason?: string): void {
    this.#driver.stop(reason)
  }

  /** Gives the person's answer to a call that asks. With `approvalId`, it applies to that question only. */
  answer(callKey: string, answer: CallAnswerInput, approvalId?: string): Promise<void> {
    return this.#answers.answer(callKey, answer, approvalId)
  }

  /** Supplies the output of a tool that the page runs, such as the answer to a question. */
  addToolOutput(callKey: string, output: unknown): Promise<void> {
    return this.#answers.addToolOutput(callKey, output)
  }

  /**
   * Loads the history, if the adapter has one, and joins the active run, if there is one. With `hasNews`, it also shows
   * messages sent elsewhere since. News that arrives while it joins, or during a run, is loaded after that.
   */
  async join({ hasNews = false }: { hasNews?: boolean | undefined } = {}): Promise<void> {
    this.#hasNews ||= hasNews
    if (this.isRunning || this.#isJoining) return
    this.#isJoining = true
    try {
      do {
        const isNews = this.#hasNews
        this.#hasNews = false
        const page = await this.history.first()
        if (page !== undefined) this.setMessages(page.messages)
        else if (isNews && !this.isRunning) await this.history.newer()
        if (!(await this.#driver.rejoin())) this.#hasNews ||= isNews
      } while (this.#hasNews && !this.isRunning)
    } catch (error) {
      this.#reporter.report('STREAM_ERROR', 'adapter', error)
    } finally {
      this.#isJoining = false
      const isWaiting = this.#sendsAfterJoin
      this.#sendsAfterJoin = false
      if (isWaiting && !this.isRunning) this.#sendNext()
    }
  }

  retryNow(): void {
    this.#driver.retryNow()
  }

  /** Calls one of the page's functions; errors and rejections go to `onError`. */
  callPage(callback: () => unknown): void {
    this.#reporter.call(callback)
  }

  reportRenderError(cause: unknown): void {
    this.#reporter.report('RENDER_ERROR', 'render', cause)
  }

  #createMessage(input: SendInput, files: readonly MessagePart[]): Message {
    const text: MessagePart[] = input.text ? [{ type: 'text', id: '0', text: input.text, state: 'done' }] : []
    return {
      id: this.#nextId(),
      role: 'user',
      status: 'sent',
      parts: [...((input.parts ?? []) as MessagePart[]), ...text, ...files],
      createdAt: new Date(this.#now()).toISOString(),
      ...defined({ metadata: input.metadata }),
    }
  }

  /** An edited message keeps its files. */
  async #sendEdited(input: SendInput): Promise<void> {
    const before = this.editing.get()!
    this.cancelEdit()
    const fileParts = before.parts.filter(({ type }) => type === 'file')
    if (this.adapter.branch === undefined) {
      this.stop()
      this.conversation.truncateFrom(before.id)
      return this.#send(input, fileParts)
    }
    const message = this.#createMessage(input, [...fileParts, ...(await attachmentParts(input.attachments ?? []))])
    const answers = await this.#loadAnswers()
    if (await answers.branch(before, message)) return
    this.editing.set(before)
    this.draft.set(input.text ?? '')
  }

  #sendNext(): void {
    const next = this.queue.takeNext()
    if (next !== undefined) void this.send(next)
  }

  readonly #callChanged = (call: ToolInvocation, place: { messageId: string }): void => {
    const callKey = toCallKey(place.messageId, call)
    if (waitsFor(call) !== undefined) this.#emit({ type: 'call-asks', callKey })
    else if (call.state === 'output-error') this.#emit({ type: 'call-failed', callKey })
    else if (call.state === 'output-available' && isSettled(call)) this.#emit({ type: 'call-done', callKey })
  }

  readonly #emit = (event: ChatEvent): void => {
    for (const listener of [...this.#events]) listener(event)
  }
}

/** `crypto.randomUUID` only exists on pages from a secure origin. */
function randomId(): string {
  return `msg-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 10)}`
}
