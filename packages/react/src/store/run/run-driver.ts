import type { Chunk } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import type { ChatAdapter, ChatError, ChatStream } from '../../types/index.ts'
import type { ChatEvent } from '../chat-event.ts'
import type { ChatStatus, ChatStoreOptions, LostConnection } from '../chat-store-options.ts'
import type { Conversation } from '../conversation.ts'
import { type Reporter, toErrorMessage } from '../reporter.ts'
import { Value } from '../topic.ts'
import { type ContinuedMessage, StreamRun } from './stream-run.ts'

/** Milliseconds before a broken connection is tried again; the last value repeats. */
const retryDelays = [1000, 2000, 3000, 5000, 10_000]

export interface RunDriverOptions extends Pick<ChatStoreOptions, 'conversationId' | 'streamFlushInterval'> {
  conversation: Conversation
  reporter: Reporter
  now: () => number
  nextId: () => string
  emit: (event: ChatEvent) => void
  /** A user message has joined the run. */
  onJoined: () => void
  /** No run is active any more; `isComplete` if it reached its own end. */
  onEnd: (isComplete: boolean) => void
}

/** How a run is opened: the error if that fails, the message that it continues, and whether it is read again. */
export interface RunStart {
  code: ChatError['code']
  continues?: ContinuedMessage | undefined
  isReplay?: boolean | undefined
}

/** At most one run at a time: opens its stream, reads it through lost connections, and ends it in one place. */
export class RunDriver {
  readonly status: Value<ChatStatus> = new Value<ChatStatus>('ready')
  readonly lost: Value<LostConnection | undefined> = new Value<LostConnection | undefined>(undefined)
  readonly #options: RunDriverOptions
  #run: StreamRun | undefined
  /** The adapter that started the run; the page may have another by now. */
  #runAdapter: ChatAdapter | undefined
  #retry: (() => void) | undefined
  /** Aborted when a run begins: looking for a run to join is too late then. */
  #joinAttempt: AbortController | undefined

  constructor(options: RunDriverOptions) {
    this.#options = options
  }

  get current(): StreamRun | undefined {
    return this.#run
  }

  get #adapter(): ChatAdapter {
    return this.#options.reporter.handlers.adapter
  }

  /** Resolves once no run is active. */
  async idle(): Promise<void> {
    while (this.#run !== undefined) {
      await new Promise<void>(resolve => {
        const leave = this.status.subscribe(() => {
          leave()
          resolve()
        })
      })
    }
  }

  /** Opens a stream and reads it to its end. Never rejects. */
  async start(how: RunStart, open: (signal: AbortSignal) => Promise<ChatStream> | ChatStream): Promise<void> {
    const { reporter } = this.#options
    const run = this.#open(how.continues)
    this.#run = run
    this.#joinAttempt?.abort()
    this.#runAdapter = this.#adapter
    reporter.error.set(undefined)
    this.status.set('submitted')
    let stream: ChatStream
    try {
      stream = await open(run.controller.signal)
    } catch (error) {
      if (this.#run !== run) return
      reporter.report(how.code, 'send', error)
      this.#finish(run, { isError: true })
      return
    }
    if (this.#run === run) await this.#readAll(run, stream, how.isReplay === true)
    else await stream.cancel().catch(() => {})
  }

  stop(reason: string | undefined): void {
    const run = this.#run
    if (run === undefined) return
    run.push({ type: 'abort', ...defined({ reason }) } as Chunk)
    run.end()
    run.controller.abort()
    this.#options.reporter.call(() => this.#runAdapter?.stop?.())
    this.#finish(run, { isAbort: true })
  }

  /** Stops reading the run, which continues without this page. */
  leave(): void {
    const run = this.#run
    this.#joinAttempt?.abort()
    if (run === undefined) return
    this.#run = undefined
    run.controller.abort()
    this.lost.set(undefined)
    this.#retry?.()
    this.status.set('ready')
  }

  /** Joins the active run, if there is one. False if this page had or started its own run meanwhile. */
  async rejoin(): Promise<boolean> {
    const { reconnectToStream } = this.#adapter
    if (this.#run !== undefined) return false
    if (reconnectToStream === undefined) return true
    const last = this.#options.conversation.messages().at(-1)
    const messageId = last?.role === 'assistant' ? last.id : undefined
    const joinAttempt = new AbortController()
    this.#joinAttempt = joinAttempt
    try {
      const stream = await reconnectToStream.call(this.#adapter, {
        signal: joinAttempt.signal,
        ...this.#ids(messageId),
      })
      if (joinAttempt.signal.aborted) {
        await stream?.cancel()
        return false
      }
      this.#joinAttempt = undefined
      if (stream !== null) await this.start({ code: 'STREAM_ERROR', isReplay: true }, () => stream)
      return true
    } catch (error) {
      if (joinAttempt.signal.aborted) return false
      throw error
    }
  }

  retryNow(): void {
    this.#retry?.()
  }

  #open(continues: ContinuedMessage | undefined): StreamRun {
    const { conversation, reporter, now, nextId, streamFlushInterval, emit, onJoined } = this.#options
    const run: StreamRun = new StreamRun({
      conversation,
      flushInterval: streamFlushInterval,
      now,
      nextId,
      continues,
      onToolCall: payload => reporter.call(() => reporter.handlers.onToolCall?.(payload)),
      onData: part => reporter.call(() => reporter.handlers.onData?.(part)),
      onJoined,
      onErrorText: text => reporter.report('STREAM_ERROR', 'stream', text),
      onStart: () => {
        if (this.#run !== run) return
        this.status.set('streaming')
        if (continues === undefined) emit({ type: 'run-started' })
      },
    })
    return run
  }

  async #readAll(run: StreamRun, first: ChatStream, isFirstReplay: boolean): Promise<void> {
    let stream = first
    let isReplay = isFirstReplay
    for (let attempt = 0; ; attempt++) {
      const end = await run.read(stream, isReplay)
      if (this.#run !== run) return
      if (end.type === 'closed') return this.#closed(run)
      const again = await this.#reopen(run, attempt)
      if (this.#run !== run) return
      if (again === null) return this.#broken(run, end.error)
      stream = again
      isReplay = true
    }
  }

  #closed(run: StreamRun): void {
    const { status } = run.message ?? {}
    if (status === 'streaming' && !this.#isWaiting(run)) run.end()
    this.#finish(run, { isError: status === 'error', isAbort: status === 'cancelled' })
  }

  #broken(run: StreamRun, error: unknown): void {
    this.#options.reporter.report('STREAM_ERROR', 'stream', error)
    run.push({ type: 'error', errorText: toErrorMessage(error) })
    run.end()
    this.#finish(run, { isError: true, isDisconnect: true })
  }

  /** The same run's stream again; null if there is none. */
  async #reopen(run: StreamRun, attempts: number): Promise<ChatStream | null> {
    const { now } = this.#options
    const adapter = this.#runAdapter
    if (adapter?.reconnectToStream === undefined || run.record === undefined) return null
    const since = now()
    for (let attempt = attempts, tries = 0; ; attempt++, tries++) {
      const delay = retryDelays[Math.min(attempt, retryDelays.length - 1)]!
      this.lost.set({ since, retryAt: now() + delay, tries })
      await this.#pause(delay)
      if (this.#run !== run) return null
      try {
        const { signal } = run.controller
        const stream = await adapter.reconnectToStream({ signal, ...this.#ids(run.record.id) })
        this.lost.set(undefined)
        return stream
      } catch {
        if (this.#run !== run) return null
      }
    }
  }

  #ids(messageId: string | undefined): { conversationId?: string; messageId?: string; readsAnswers: true } {
    return { readsAnswers: true, ...defined({ conversationId: this.#options.conversationId, messageId }) }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        clearTimeout(timer)
        this.#retry = undefined
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      this.#retry = done
    })
  }

  /** This message's calls wait for the person: it continues with their answer. */
  #isWaiting(run: StreamRun): boolean {
    const id = run.record?.id
    return this.#options.conversation.pending.get().some(({ messageId }) => messageId === id)
  }

  #finish(run: StreamRun, how: { isAbort?: boolean; isError?: boolean; isDisconnect?: boolean }): void {
    const { conversation, reporter, emit, onEnd } = this.#options
    this.#run = undefined
    this.lost.set(undefined)
    this.#retry?.()
    const { isAbort = false, isError = false, isDisconnect = false } = how
    const message = run.record?.message()
    const ended = isAbort ? 'stopped' : isError ? 'failed' : this.#isWaiting(run) ? 'waiting' : 'complete'
    this.status.set('ready')
    emit({ type: 'run-ended', messageId: message?.id, how: ended })
    if (message !== undefined) {
      const { finishReason } = message
      const payload = { message, messages: conversation.messages(), isAbort, isError, isDisconnect }
      reporter.call(() => reporter.handlers.onFinish?.({ ...payload, ...defined({ finishReason }) }))
    }
    if (this.#run === undefined) onEnd(ended === 'complete')
  }
}
