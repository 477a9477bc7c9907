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
  /** The message of the assistant that the run continues. */
  continued?: OpenMessage | undefined
  /** Keeps what is said; a run in memory has none. A run must have begun in it, or been resumed. */
  transcript?: Transcript | undefined
  /** Of a run that is resumed in its own log: what that log says so far. */
  resumed?: ReplayedRun | undefined
  /** Who reads the run; nobody is shown a chunk that the log does not have. */
  reader?: ChunkQueue | undefined
  now: () => number
  /** Called once when what is said can no longer be kept. */
  onUnsaved?: ((error: unknown) => void) | undefined
}

/**
 * The one way of every chunk of a run: the commentary decides what text is for, then come what is open, the folds, the
 * log with the document, and the reader.
 */
export class RunStream {
  readonly #options: RunStreamOptions
  readonly #open: OpenParts = new OpenParts()
  readonly #commentary: Commentary = new Commentary(chunk => this.#pass(chunk))
  /** When the last chunk came: the folds say the same about it. */
  readonly #clock: { time: number }
  /** What the log of this run says, folded. */
  readonly #fold: Accumulator
  /** The message that the run continues and what the run adds to it: what the model is shown. */
  readonly #whole: Accumulator
  /** How many messages of `#whole` were said before this stream. */
  readonly #before: number
  /** What the message shows of each call, by id. */
  readonly #states: Map<string, ToolState> = new Map()
  /** Chunks that wait until the log has them. */
  #unshown: Chunk[] = []
  #flushed: Promise<void> = Promise.resolve()
  #isFlushAsked = false
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
    this.#before = messages.length - (messages.at(-1)?.role === 'assistant' ? 1 : 0)
  }

  /** The message so far; undefined before its first chunk. */
  get message(): Message | undefined {
    return this.#whole.message
  }

  /** What this stream said before the message that is being written: that is none unless a user joined in. */
  get earlier(): readonly Message[] {
    return this.#whole.messages.slice(this.#before, -1)
  }

  /** Builds the message that the model is shown. */
  get fold(): Pick<Accumulator, 'reader'> {
    return this.#whole
  }

  /** The message takes no more. */
  get isFull(): boolean {
    return this.#whole.counts.has('STREAM_MESSAGE_TOO_LONG')
  }

  /** `finish` or `abort` has passed. */
  get ended(): boolean {
    return this.#open.ended
  }

  /** Why what is said can no longer be kept. */
  get unsaved(): { error: unknown } | undefined {
    return this.#unsaved
  }

  /** What the message shows of the newest call with this id. */
  stateOf(toolCallId: string): ToolState | undefined {
    return this.#states.get(toolCallId)
  }

  /** Begins the message, or says that it is continued. */
  start(): void {
    this.push({ type: 'start', messageId: this.#options.messageId })
  }

  /** Ends the message, adds those of the user, and begins the next one. */
  join(messages: readonly Message[]): void {
    for (const message of messages) this.push(toUserMessageChunk(message))
    this.push({ type: 'start', messageId: nextMessageId(this.#options.run, this.#fold.messages) })
  }

  /** Takes a chunk; none after the end. */
  push(chunk: Chunk): void {
    if (!this.#open.ended) this.#commentary.push(chunk)
  }

  /** A chunk that says again, for whoever reads this run only, what the continued message has already. */
  known(chunk: Chunk): void {
    this.#clock.time = this.#options.now()
    this.#open.watch(chunk)
    if (this.#options.resumed !== undefined) return this.#show(chunk)
    this.#fold.push(chunk)
    this.#keep(chunk)
  }

  /** Ends the stream in the one right order: settlements, texts, the step, the message. */
  end(ending: StreamEnding): void {
    for (const chunk of this.#open.end(ending)) this.#commentary.push(chunk)
    this.#commentary.end()
    this.#fold.end()
    if (this.#whole !== this.#fold) this.#whole.end()
  }

  /** The message at the end, as the document has it: one that does not say when it began began with this run. */
  finalMessage(): Message {
    if (this.earlier.length > 0) return this.#whole.message!
    const { createdAt } = this.#options.continued ?? this.#fold.message!
    return { ...this.#whole.message!, createdAt: createdAt ?? this.#fold.message!.createdAt! }
  }

  /** Resolves when everything so far is in the log and was shown, or cannot be. Never rejects. */
  flushed(): Promise<void> {
    return this.#flushed
  }

  /** Resolves when the log has everything on the disk, or cannot have it. Never rejects. */
  async logSynced(): Promise<void> {
    await this.#try(() => this.#options.transcript?.syncLog())
    await this.#flushed
  }

  /** Resolves when a step survives a power failure, as the transcript promises, or cannot. Never rejects. */
  async stepSynced(): Promise<void> {
    await this.#try(() => this.#options.transcript?.syncStep())
    await this.#flushed
  }

  /** The same for the log and the document. */
  async synced(): Promise<void> {
    await this.#try(() => this.#options.transcript?.sync())
    await this.#flushed
  }

  /** Where every chunk comes by, once. */
  #pass(chunk: Chunk): void {
    this.#clock.time = this.#options.now()
    this.#open.watch(chunk)
    this.#fold.push(chunk)
    if (this.#whole !== this.#fold) this.#whole.push(chunk)
    this.#keep(chunk)
  }

  #keep(chunk: Chunk): void {
    const { transcript } = this.#options
    if (transcript === undefined) return this.#show(chunk)
    try {
      transcript.push(chunk, this.#fold, this.#clock.time)
    } catch (error) {
      this.#fail(error)
    }
    this.#show(chunk)
  }

  /** Shows a chunk once the log has it. What comes in one turn goes to the disk together. */
  #show(chunk: Chunk): void {
    const { transcript, reader } = this.#options
    if (transcript === undefined) {
      if (!isInternalMark(chunk)) reader?.push(chunk)
      return
    }
    this.#unshown.push(chunk)
    if (this.#isFlushAsked) return
    this.#isFlushAsked = true
    this.#flushed = this.#flushed.then(() => this.#flush(transcript))
  }

  async #flush(transcript: Transcript): Promise<void> {
    this.#isFlushAsked = false
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
