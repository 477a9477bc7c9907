import { type Accumulator, accumulate, type Chunk, isToolPart, type Message } from '@argot/core'
import { waitsFor } from '@argot/core/stream'
import { type Envelope, isDataChunk, type MessageReader, parkReason } from '@argot/core/stream/internal'
import type { ChatOnData, ChatOnToolCall, ChatStream } from '../../types/index.ts'
import type { accumulateFrom } from '../accumulate-from.ts'
import type { Conversation } from '../conversation.ts'
import type { MessageRecord } from '../message-record.ts'
import { Scheduler } from '../scheduler.ts'
import { subMark } from './sub-runs.ts'

/** A message that a stream continues, and the function that makes a fold in its state. */
export interface ContinuedMessage {
  message: Message
  fold: typeof accumulateFrom
}

export interface StreamRunOptions {
  conversation: Conversation
  flushInterval?: number | undefined
  now: () => number
  nextId: () => string
  continues?: ContinuedMessage | undefined
  onToolCall: ChatOnToolCall
  onData: ChatOnData
  onErrorText: (text: string) => void
  onJoined: () => void
  onStart: () => void
}

export type StreamEnd = { type: 'closed' } | { type: 'broken'; error: unknown }

/** The transient chunk with which an adapter says that its repetition is over: everything after it is live. */
export const liveMark = 'data-argot-live'

/** The transient chunk with which an adapter says that it begins again: everything after it happened before. */
export const rewindMark = 'data-argot-rewind'

/**
 * One run as the page reads it: chunks go into a fold immediately, and into the conversation once per frame. It may
 * read several streams, one after the other, when a connection breaks or a person answers.
 */
export class StreamRun {
  readonly controller: AbortController = new AbortController()
  readonly #options: StreamRunOptions
  readonly #scheduler: Scheduler
  #accumulator: Accumulator
  #reader: MessageReader
  #record: MessageRecord | undefined
  #firstId: string | undefined
  #messageId: string | undefined
  /** The current chunks repeat what happened before this page was watching. */
  #isReplay = false
  /** The calls and states that were already reported, as `message/call state`. */
  readonly #reportedCalls: Set<string> = new Set()
  /** The data chunks that were already reported, and how many of a repetition must still be skipped. */
  #dataCount = 0
  #dataToSkip = 0
  readonly #dataIds: Set<string> = new Set()
  #sequence = -1
  #isFirst = true

  constructor(options: StreamRunOptions) {
    this.#options = options
    this.#scheduler = new Scheduler(this.flush, options.flushInterval)
    this.#accumulator = this.#fold(options.continues)
    this.#reader = this.#accumulator.reader()
    if (options.continues !== undefined) {
      this.#messageId = options.continues.message.id
      this.#record = options.conversation.record(this.#messageId)
      // The page already shows this message, so the reader's first changes are not news.
      this.#reader.changes()
    }
  }

  /** The message being written, as the page shows it. */
  get record(): MessageRecord | undefined {
    return this.#record
  }

  get message(): Message | undefined {
    return this.#accumulator.message
  }

  /** Reads a stream to its end. Never rejects. */
  async read(stream: ChatStream, isReplay = false): Promise<StreamEnd> {
    this.#isReplay = isReplay
    let isBeginning = true
    const { signal } = this.controller
    let cancel = (): void => {}
    try {
      const reader = stream.getReader()
      cancel = () => void reader.cancel(signal.reason).catch(() => {})
      signal.addEventListener('abort', cancel)
      if (signal.aborted) cancel()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        if (isBeginning && isReplay) this.#beginReplay(value)
        isBeginning = false
        this.#take(value)
      }
      return { type: 'closed' }
    } catch (error) {
      return { type: 'broken', error }
    } finally {
      signal.removeEventListener('abort', cancel)
      this.flush()
    }
  }

  /** Adds a chunk that the page itself makes. */
  push(chunk: Chunk): void {
    this.#accumulator.push(chunk)
    this.flush()
  }

  /** Settles everything that is open. */
  end(): void {
    this.#accumulator.end()
    this.flush()
  }

  /** Brings the conversation to the fold's state. */
  readonly flush = (): void => {
    this.#scheduler.cancel()
    const { conversation } = this.#options
    this.#record = conversation.apply(this.#reader.changes(), this.#record)
    this.#firstId ??= this.#record?.id
    conversation.flush()
  }

  /**
   * A reopened stream either numbers its chunks, and known ones are dropped by number; or it begins at the beginning,
   * and the message is rebuilt.
   */
  #beginReplay(first: Chunk | Envelope): void {
    if ('chunk' in first && this.#sequence >= 0) return
    this.#accumulator = this.#fold(undefined)
    this.#reader = this.#accumulator.reader()
    this.#dataToSkip = this.#dataCount
    this.#sequence = -1
  }

  /** Forgets this run's output, to read it again. */
  #rewind(): void {
    this.flush()
    if (this.#firstId !== undefined) this.#options.conversation.truncateFrom(this.#firstId)
    this.#record = undefined
    this.#accumulator = this.#fold(undefined)
    this.#reader = this.#accumulator.reader()
  }

  #take(item: Chunk | Envelope): void {
    const isEnvelope = typeof item === 'object' && item !== null && 'chunk' in item
    const chunk = (isEnvelope ? item.chunk : item) as Chunk | undefined
    let isKnown = false
    if (isEnvelope && typeof item.sequence === 'number') {
      isKnown = item.sequence <= this.#sequence
      this.#sequence = Math.max(this.#sequence, item.sequence)
    }
    if (chunk?.type === 'start' && typeof chunk.messageId === 'string') this.#messageId = chunk.messageId
    if (typeof chunk?.type === 'string' && isDataChunk(chunk)) {
      if (chunk.type === liveMark || chunk.type === rewindMark) {
        this.#isReplay = chunk.type === rewindMark
        if (this.#isReplay) this.#rewind()
        return
      }
      if (isEnvelope && typeof item.eventId === 'string') {
        isKnown ||= this.#dataIds.has(item.eventId)
        this.#dataIds.add(item.eventId)
      }
      if (chunk.type === subMark && !isKnown) this.#options.conversation.subs.take(this.#messageId ?? '', chunk.data)
      if (!isKnown) this.#reportData(chunk)
    }
    this.#accumulator.push(this.#toParked(item, chunk) ?? (item as Chunk))
    if (chunk?.type === 'user-message' && !isKnown) this.#options.onJoined()
    if (chunk?.type === 'error' && !isKnown) this.#options.onErrorText(String(chunk.errorText))
    if (this.#isFirst) {
      this.#isFirst = false
      this.#options.onStart()
    }
    this.#scheduler.request()
  }

  /**
   * An end without a reason while a call waits for the person: other libraries let it wait there, so it is read as a
   * parked end. Undefined for all other chunks.
   */
  #toParked(item: Chunk | Envelope, chunk: Chunk | undefined): Chunk | undefined {
    if (chunk?.type !== 'finish' || chunk.finishReason !== undefined) return undefined
    const parts = this.#accumulator.message?.parts ?? []
    if (!parts.some(part => isToolPart(part) && waitsFor(part.toolInvocation))) return undefined
    const parked: Chunk = { ...chunk, finishReason: parkReason }
    return item === chunk ? parked : ({ ...item, chunk: parked } as unknown as Chunk)
  }

  #reportData(chunk: Extract<Chunk, { type: `data-${string}` }>): void {
    if (this.#dataToSkip > 0) {
      this.#dataToSkip--
      return
    }
    this.#dataCount++
    this.#options.onData({ ...chunk, replayed: this.#isReplay })
  }

  #fold(continues: ContinuedMessage | undefined): Accumulator {
    const { now, nextId } = this.#options
    const options = { now, nextId, onToolCall: this.#reportCall }
    return continues === undefined ? accumulate(options) : continues.fold(accumulate, continues.message, options)
  }

  readonly #reportCall = ({ toolCall }: { toolCall: object }): void => {
    const { key, state } = toolCall as { key: string; state: string }
    const name = `${this.#messageId ?? ''}/${key} ${state}`
    if (this.#isReplay && this.#reportedCalls.has(name)) return
    this.#reportedCalls.add(name)
    this.#options.onToolCall({ toolCall, replayed: this.#isReplay } as Parameters<ChatOnToolCall>[0])
  }
}
