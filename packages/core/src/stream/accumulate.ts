import type { Message } from '../message/message.ts'
import type { ChatOnToolCallPayload } from '../message/tool-payload.ts'
import { type Diagnostic, DiagnosticLog } from '../source/diagnostic.ts'
import { ArgotError, type ErrorCode } from '../source/error.ts'
import type { CallBuilder } from './builder/call-builder.ts'
import { LiveView } from './builder/live-view.ts'
import { type MessageBeginning, MessageBuilder, type MessageState } from './builder/message-builder.ts'
import type { Chunk, Envelope } from './chunk.ts'
import { chunkProblem, isKnownType } from './chunk-problem.ts'
import { Commentary, type CommentaryPolicy, type CommentaryState } from './commentary.ts'
import * as limits from './limits.ts'
import { type LiveMessage, toLiveMessage } from './reader/live-message.ts'
import { ChainReader, type MessageReader, type Predecessor } from './reader/message-reader.ts'
import { fromUserMessageChunk, type UserMessageChunk } from './user-message-chunk.ts'
import { toWellFormedChunk } from './well-formed-chunk.ts'
import { isEnvelope, Sequencer, type SequencerState } from './wire/sequencer.ts'

export interface AccumulateOptions {
  /** From another accumulator's `toJSON()`; this one continues there. */
  state?: AccumulatorState
  /**
   * When text shows: immediately (`provisional`, the default) or once its purpose is known (`defer`). `given`: the
   * stream has already passed through a `Commentary`, and nothing is decided again.
   */
  commentary?: CommentaryPolicy | 'given' | undefined
  /** Called once per change of a call's state. If it throws or rejects, that is reported and never fatal. */
  onToolCall?: (payload: ChatOnToolCallPayload) => unknown
  /** Milliseconds since 1970; `Date.now` by default. */
  now?: () => number
  /** Makes the id for a message whose stream has none. */
  nextId?: () => string
  /**
   * The chunks come from this process, for example from a loop. Their fields, ids and metadata are not checked, and
   * envelopes are not expected. Text written by the model and the limits that protect memory are still checked.
   */
  own?: boolean | undefined
}

/** Folds a stream of chunks into messages. */
export interface Accumulator {
  /**
   * Reads one chunk. Never throws, whatever it gets, unless `own` promised that it gets only chunks. `diagnostics`
   * lists what it could not use.
   */
  push(chunk: Chunk | Envelope): void
  /** Ends the stream: settles every open call and keeps open text as aborted. */
  end(): void
  /** A snapshot of the newest message, or undefined before the first chunk. A snapshot never changes. */
  readonly message: Message | undefined
  /** The same message, part by part and without copying the list: for reading a few parts of a long message. */
  readonly live: LiveMessage | undefined
  /** All messages of the stream, oldest first. */
  readonly messages: readonly Message[]
  /** A new reader of changes. Each reader has its own position, and costs nothing until you call it. */
  reader(): MessageReader
  /** What was ignored or repaired; the first twenty of each code. */
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: ReadonlyMap<ErrorCode, number>
  /** The whole state as plain data; you can call it after any chunk. */
  toJSON(): AccumulatorState
}

/** Safe for `JSON.stringify`. */
export interface AccumulatorState {
  version: 1
  chunks: number
  finished: Message[]
  current?: MessageState
  commentary: CommentaryState
  envelopes: SequencerState
  diagnostics: { list: Diagnostic[]; counts: [ErrorCode, number][] }
}

export function accumulate(options: AccumulateOptions = {}): Accumulator {
  return new ChunkAccumulator(options)
}

class ChunkAccumulator implements Accumulator {
  readonly #options: AccumulateOptions
  readonly #now: () => number
  readonly #own: boolean
  /** Undefined if the phases are given. */
  readonly #commentary: Commentary | undefined
  readonly #sequencer: Sequencer
  readonly #log: DiagnosticLog = new DiagnosticLog()
  readonly #finished: Message[]
  #builder: MessageBuilder | undefined
  /** The newest message, which the next one will follow. Readers that are further back keep the earlier ones. */
  #newest: Predecessor = { next: undefined }
  #chunks: number

  constructor(options: AccumulateOptions) {
    const { state } = options
    if (state !== undefined && state.version !== 1) {
      throw new ArgotError(
        'STREAM_BAD_STATE',
        'The state to resume from was not written by this version of `accumulate`.',
      )
    }
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#own = options.own === true
    this.#sequencer = new Sequencer(chunk => this.#read(chunk), this.#report, state?.envelopes)
    const { commentary: policy = 'provisional' } = options
    if (policy !== 'given') {
      const commentaryOptions = state === undefined ? {} : { state: state.commentary }
      this.#commentary = new Commentary(chunk => this.#apply(chunk), { policy, ...commentaryOptions })
    }
    this.#finished = [...(state?.finished ?? [])]
    this.#chunks = state?.chunks ?? 0
    if (state?.current !== undefined) this.#begin(state.current)
    this.#log.list.push(...(state?.diagnostics.list ?? []))
    for (const [code, count] of state?.diagnostics.counts ?? []) this.#log.counts.set(code, count)
  }

  push(item: Chunk | Envelope): void {
    if (this.#own) {
      this.#accept(item as Chunk)
      this.#chunks++
    } else if (isEnvelope(item)) this.#sequencer.push(item)
    else this.#read(item)
  }

  end(): void {
    this.#sequencer.end()
    this.#commentary?.end()
    this.#builder?.end()
  }

  get message(): Message | undefined {
    return this.#builder?.message() ?? this.#finished.at(-1)
  }

  get live(): LiveMessage | undefined {
    if (this.#builder !== undefined) return new LiveView(this.#builder)
    const last = this.#finished.at(-1)
    return last && toLiveMessage(last)
  }

  get messages(): readonly Message[] {
    return this.#builder === undefined ? [...this.#finished] : [...this.#finished, this.#builder.message()]
  }

  reader(): MessageReader {
    return new ChainReader(this.#newest, this.#builder)
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#log.list
  }

  get counts(): ReadonlyMap<ErrorCode, number> {
    return this.#log.counts
  }

  toJSON(): AccumulatorState {
    const state: AccumulatorState = {
      version: 1,
      chunks: this.#chunks,
      finished: [...this.#finished],
      commentary: this.#commentary?.toJSON() ?? { texts: [], calls: [], loopCalls: [], renames: 0 },
      envelopes: this.#sequencer.toJSON(),
      diagnostics: { list: [...this.#log.list], counts: [...this.#log.counts] },
    }
    if (this.#builder !== undefined) state.current = this.#builder.toJSON()
    return state
  }

  /** Drops anything that is not a chunk. */
  #read(chunk: Chunk): void {
    const problem = chunkProblem(chunk) ?? idProblem(chunk)
    if (problem === undefined) {
      this.#accept(toWellFormedChunk(chunk, this.#report))
    } else {
      const isKnown = isKnownType((chunk as Chunk | undefined)?.type)
      this.#report(isKnown ? 'STREAM_BAD_CHUNK' : 'STREAM_UNKNOWN_CHUNK', problem)
    }
    this.#chunks++
  }

  #accept(chunk: Chunk): void {
    if (chunk.type === 'start') this.#start(chunk)
    else if (chunk.type === 'user-message') this.#addUserMessage(chunk)
    else if (this.#builder?.finished !== true) {
      if (this.#commentary === undefined) this.#apply(chunk)
      else this.#commentary.push(chunk)
    } else this.#report('STREAM_LATE_CHUNK', 'A chunk came after the end of the message and was ignored.')
  }

  /** A `start` with another id begins a new message; one with the same id continues a parked message. */
  #start(chunk: Extract<Chunk, { type: 'start' }>): void {
    const builder = this.#builder
    const isAnotherMessage =
      builder !== undefined && chunk.messageId !== undefined && chunk.messageId !== builder.head.id
    if (builder === undefined || isAnotherMessage) {
      this.#commentary?.push(chunk)
      // Text that waited for its phase comes out now, and may have opened its own message.
      const before = this.#builder
      if (before !== undefined) {
        before.end()
        this.#finished.push(before.message())
      }
      this.#begin(chunk.messageId ?? this.#nextId()).push(chunk)
    } else if (builder.finished && !builder.resume()) {
      this.#report('STREAM_LATE_CHUNK', 'A chunk came after the end of the message and was ignored.')
    } else {
      this.#commentary?.push(chunk)
      builder.push(chunk)
    }
  }

  /** Ends the message that is being written, if any. */
  #addUserMessage(chunk: UserMessageChunk): void {
    this.#commentary?.push(chunk)
    const before = this.#builder
    if (before !== undefined) {
      if (!before.finished) before.push(chunk)
      this.#finished.push(before.message())
    }
    const { parts, ...fields } = fromUserMessageChunk(chunk, this.#now())
    this.#begin({ fields, slots: parts.map(part => ({ part })), finished: true })
  }

  #apply(chunk: Chunk): void {
    if (chunk.type === 'start' || chunk.type === 'user-message') return
    if (this.#builder === undefined) {
      this.#report('STREAM_NO_START', 'The stream has no `start`; the message was given an id.')
    }
    const builder = this.#builder ?? this.#begin(this.#nextId())
    builder.push(chunk)
  }

  #begin(start: string | MessageBeginning): MessageBuilder {
    const builder = new MessageBuilder(this.#context, start)
    this.#newest.next = builder
    this.#newest = builder
    this.#builder = builder
    return builder
  }

  #nextId(): string {
    return this.#options.nextId?.() ?? `msg-${Math.random().toString(36).slice(2, 12)}`
  }

  #report = (code: ErrorCode, message: string): void => {
    this.#log.add({ code, severity: 'warning', message, chunk: this.#chunks })
  }

  #onStateChange = (call: CallBuilder): void => {
    const { onToolCall } = this.#options
    if (onToolCall === undefined) return
    try {
      const { toolInvocation: toolCall } = call.part()
      const result = onToolCall({ toolCall } as ChatOnToolCallPayload)
      if (result instanceof Promise) result.catch(this.#reportCallback)
    } catch (error) {
      this.#reportCallback(error)
    }
  }

  #reportCallback = (error: unknown): void => {
    this.#report(
      'STREAM_CALLBACK_FAILED',
      `\`onToolCall\` failed: ${error instanceof Error || typeof error === 'string' ? error : 'no reason given'}`,
    )
  }

  readonly #context = {
    now: (): number => this.#now(),
    report: this.#report,
    onStateChange: this.#onStateChange,
  }
}

function idProblem(chunk: Chunk): string | undefined {
  const { id, toolCallId, messageId, approvalId } = chunk as Record<string, unknown>
  if (isTooLong(id) || isTooLong(toolCallId) || isTooLong(messageId) || isTooLong(approvalId)) {
    return `An id is longer than ${limits.idLength} characters.`
  }
  return undefined
}

function isTooLong(id: unknown): boolean {
  return typeof id === 'string' && id.length > limits.idLength
}
