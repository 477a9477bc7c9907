import { type Accumulator, accumulate, type Chunk, type Message, type ToolState } from '@argot/core'
import { Commentary, isInternalMark } from '@argot/core/stream'
import { OpenParts, type StreamEnding, toUserMessageChunk } from '@argot/core/stream/internal'
import type { ChatOnToolCallPayload } from '@argot/core/types'
import { nextMessageId } from '../transcript/next-message-id.ts'
import type { ReplayedRun } from '../transcript/replay-run.ts'
import type { Transcript } from '../transcript/transcript.ts'
import type { ChunkQueue } from './chunk-queue.ts'
import type { OpenMessage } from './open-message.ts'

export interface RunStreamOptions {
  run: string
  messageId: string
  continued?: OpenMessage | undefined
  /** Saves the chunks; a run in memory has none. A run must have begun in it or been resumed. */
  transcript?: Transcript | undefined
  /** For a run resumed in its own log: the contents of that log so far. */
  resumed?: ReplayedRun | undefined
  /** The run's reader. It never gets a chunk that the log doesn't have. */
  reader?: ChunkQueue | undefined
  now: () => number
  onUnsaved?: ((error: unknown) => void) | undefined
}

/**
 * The only path for a run's chunks: the commentary classifies text, then come the open calls, the folds, the log with
 * the document, and the reader.
 */
export class RunStream {
  readonly #options: RunStreamOptions
  readonly #open: OpenParts = new OpenParts()
  readonly #commentary: Commentary = new Commentary(chunk => this.#pass(chunk))
  /** When the last chunk arrived, so that all folds agree. */
  readonly #clock: { time: number }
  readonly #fold: Accumulator
  /** The continued message plus what the run adds: what the model sees. */
  readonly #whole: Accumulator
  /** How many messages of `#whole` precede this stream. */
  readonly #messagesBefore: number
  readonly #states: Map<string, ToolState> = new Map()
  #unshown: Chunk[] = []
  #flushed: Promise<void> = Promise.resolve()
  #isFlushPlanned = false
  #unsaved: { error: unknown } | undefined

  constructor(options: RunStreamOptions) {
    const { resumed, continued, now } = options
    this.#options = options
    const onToolCall = ({ toolCall }: ChatOnToolCallPayload): void => {
      this.#states.set(toolCall.toolCallId, toolCall.state)
    }
    this.#clock = resumed?.clock ?? { time: now() }
    this.#clock.time = now()
    if (resumed === undefined) {
      this.#fold = accumulate({ now: () => this.#clock.time, onToolCall, own: true, commentary: 'given' })
    } else {
      resumed.onToolCall = onToolCall
      this.#fold = resumed.fold
    }
    this.#whole = continued === undefined ? this.#fold : continued.fold(() => this.#clock.time)
    const { messages } = this.#whole
    this.#messagesBefore = messages.length - (messages.at(-1)?.role === 'assistant' ? 1 : 0)
  }

  /** The message so far. Undefined before its first chunk. */
  get message(): Message | undefined {
    return this.#whole.message
  }

  /** This stream's messages before the current one. Empty unless a user's message joined. */
  get earlier(): readonly Message[] {
    return this.#whole.messages.slice(this.#messagesBefore, -1)
  }

  get fold(): Pick<Accumulator, 'reader'> {
    return this.#whole
  }

  get isFull(): boolean {
    return this.#whole.counts.has('STREAM_MESSAGE_TOO_LONG')
  }

  /** `finish` or `abort` has passed. */
  get ended(): boolean {
    return this.#open.ended
  }

  get unsaved(): { error: unknown } | undefined {
    return this.#unsaved
  }

  /** The state in the message of the newest call with this id. */
  getState(toolCallId: string): ToolState | undefined {
    return this.#states.get(toolCallId)
  }

  /** Begins the message, or announces that it continues. */
  start(): void {
    this.push({ type: 'start', messageId: this.#options.messageId })
  }

  /** Ends the message, adds the user's messages, and begins the next one. */
  join(messages: readonly Message[]): void {
    for (const message of messages) this.push(toUserMessageChunk(message))
    this.push({ type: 'start', messageId: nextMessageId(this.#options.run, this.#fold.messages) })
  }

  /** Takes a chunk. Ignored after the end. */
  push(chunk: Chunk): void {
    if (!this.#open.ended) this.#commentary.push(chunk)
  }

  /** Repeats, for readers of this run only, what the continued message already has. */
  repeat(chunk: Chunk): void {
    this.#clock.time = this.#options.now()
    this.#open.watch(chunk)
    if (this.#options.resumed !== undefined) return this.#show(chunk)
    this.#fold.push(chunk)
    this.#save(chunk)
  }

  /** Ends the stream in the only correct order: settlements, texts, the step, the message. */
  end(ending: StreamEnding): void {
    for (const chunk of this.#open.end(ending)) this.#commentary.push(chunk)
    this.#commentary.end()
    this.#fold.end()
    if (this.#whole !== this.#fold) this.#whole.end()
  }

  /** The final message, as in the document. If its start time is unknown, it began with this run. */
  finalMessage(): Message {
    if (this.earlier.length > 0) return this.#whole.message!
    const { createdAt } = this.#options.continued ?? this.#fold.message!
    return { ...this.#whole.message!, createdAt: createdAt ?? this.#fold.message!.createdAt! }
  }

  /** Resolves when everything so far is in the log and was shown, or can't be. Never rejects. */
  flushed(): Promise<void> {
    return this.#flushed
  }

  /** Resolves when the log has everything on disk, or can't have it. Never rejects. */
  async logSynced(): Promise<void> {
    await this.#try(() => this.#options.transcript?.syncLog())
    await this.#flushed
  }

  /** Resolves when a step would survive a power failure, as the transcript promises, or can't. Never rejects. */
  async stepSynced(): Promise<void> {
    await this.#try(() => this.#options.transcript?.syncStep())
    await this.#flushed
  }

  /** Resolves when the log and the document have everything on disk, or can't have it. Never rejects. */
  async synced(): Promise<void> {
    await this.#try(() => this.#options.transcript?.sync())
    await this.#flushed
  }

  /** Every chunk passes here, once. */
  #pass(chunk: Chunk): void {
    this.#clock.time = this.#options.now()
    this.#open.watch(chunk)
    this.#fold.push(chunk)
    if (this.#whole !== this.#fold) this.#whole.push(chunk)
    this.#save(chunk)
  }

  #save(chunk: Chunk): void {
    const { transcript } = this.#options
    if (transcript === undefined) return this.#show(chunk)
    try {
      transcript.push(chunk, this.#fold, this.#clock.time)
    } catch (error) {
      this.#fail(error)
    }
    this.#show(chunk)
  }

  /** Shows a chunk once the log has it. Chunks of one turn go to disk together. */
  #show(chunk: Chunk): void {
    const { transcript, reader } = this.#options
    if (transcript === undefined) {
      if (!isInternalMark(chunk)) reader?.push(chunk)
      return
    }
    this.#unshown.push(chunk)
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    this.#flushed = this.#flushed.then(() => this.#flush(transcript))
  }

  async #flush(transcript: Transcript): Promise<void> {
    this.#isFlushPlanned = false
    const chunks = this.#unshown
    this.#unshown = []
    await this.#try(() => transcript.flush())
    for (const chunk of chunks) if (!isInternalMark(chunk)) this.#options.reader?.push(chunk)
  }

  async #try(work: () => Promise<void> | undefined): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (this.#unsaved !== undefined) return
    this.#unsaved = { error }
    this.#options.onUnsaved?.(error)
  }
}
