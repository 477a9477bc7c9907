import {
  InvalidResponseDataError,
  type LanguageModelV3,
  type LanguageModelV3CallOptions,
  type LanguageModelV3StreamPart,
  type LanguageModelV3ToolCall,
} from '@ai-sdk/provider'
import { ArgotError } from '@argot/core'

/**
 * The same model with a stream that never ends silently. Either `finish` comes without an `error`, and the reply is
 * whole; or `error` comes, and after it at most a `finish`; or reading rejects, as it does when the connection breaks.
 */
export function requireFinish(language: LanguageModelV3): LanguageModelV3 {
  const wrapper: LanguageModelV3 = {
    specificationVersion: language.specificationVersion,
    provider: language.provider,
    modelId: language.modelId,
    get supportedUrls() {
      return language.supportedUrls
    },
    doGenerate: options => language.doGenerate(options),
    async doStream(options) {
      const result = await language.doStream(options)
      const parts = new CheckedParts(result.response?.headers?.['content-type'])
      return { ...result, stream: checkStream(result.stream, parts) }
    },
  }
  wrappedModels.set(wrapper, language)
  return wrapper
}

export type ReplyParts = Pick<ReadableStreamDefaultReader<LanguageModelV3StreamPart>, 'read' | 'cancel'>

/**
 * Calls a model and returns a reader for its reply. For a model from `requireFinish`, that is the model's own stream,
 * checked while it is read: wrapping it in another stream would cost more than the rest of a step.
 */
export async function openReply(language: LanguageModelV3, options: LanguageModelV3CallOptions): Promise<ReplyParts> {
  const innerModel = wrappedModels.get(language)
  if (innerModel === undefined) return (await language.doStream(options)).stream.getReader()
  const { stream, response } = await innerModel.doStream(options)
  return new CheckedReader(stream.getReader(), new CheckedParts(response?.headers?.['content-type']))
}

const wrappedModels: WeakMap<LanguageModelV3, LanguageModelV3> = new WeakMap()

class CheckedReader implements ReplyParts {
  readonly #reader: ReplyParts
  readonly #parts: CheckedParts
  /** Parts that arrived together and weren't returned yet, last first. */
  #ready: LanguageModelV3StreamPart[] = []
  #isDone = false

  constructor(reader: ReplyParts, parts: CheckedParts) {
    this.#reader = reader
    this.#parts = parts
  }

  async read(): Promise<ReadableStreamReadResult<LanguageModelV3StreamPart>> {
    for (;;) {
      const part = this.#ready.pop()
      if (part !== undefined) return { done: false, value: part }
      if (this.#isDone) return { done: true, value: undefined }
      const { done, value } = await this.#reader.read()
      if (this.#isDone) return { done: true, value: undefined }
      const parts = done ? this.#parts.end() : this.#parts.push(value)
      this.#isDone = done
      if (parts.length === 1) return { done: false, value: parts[0]! }
      this.#ready = parts.toReversed()
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.#isDone = true
    this.#ready = []
    return this.#reader.cancel(reason)
  }
}

/** Reads on demand: a `TransformStream` would make each part wait in two more queues. */
function checkStream(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  checked: CheckedParts,
): ReadableStream<LanguageModelV3StreamPart> {
  const reader = stream.getReader()
  let cancelled = false
  return new ReadableStream<LanguageModelV3StreamPart>(
    {
      // Reads until it has a part to deliver, because it isn't called again before that.
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read()
          if (cancelled) return
          const parts = done ? checked.end() : checked.push(value)
          for (const part of parts) controller.enqueue(part)
          if (done) return controller.close()
          if (parts.length > 0) return
        }
      },
      cancel(reason) {
        cancelled = true
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

const nothing: readonly LanguageModelV3StreamPart[] = []

class CheckedParts {
  readonly #contentType: string | undefined
  #state: 'open' | 'failed' | 'finished' = 'open'
  /** Held back from the first incomplete call on: the packages complete such calls even if the reply was cut. */
  readonly #held: LanguageModelV3StreamPart[] = []

  constructor(contentType: string | undefined) {
    this.#contentType = contentType
  }

  push(part: LanguageModelV3StreamPart): readonly LanguageModelV3StreamPart[] {
    if (part.type === 'finish') return this.#finish(part)
    if (part.type === 'error') {
      this.#state = 'failed'
      return [isCut(part.error) ? this.#cut() : part]
    }
    if (this.#state !== 'open') return nothing
    if (this.#held.length === 0 && (part.type !== 'tool-call' || hasWholeInput(part))) return [part]
    this.#held.push(part)
    return nothing
  }

  end(): readonly LanguageModelV3StreamPart[] {
    return this.#state === 'open' ? [this.#cut()] : nothing
  }

  #finish(part: Extract<LanguageModelV3StreamPart, { type: 'finish' }>): LanguageModelV3StreamPart[] {
    const earlierState = this.#state
    this.#state = earlierState === 'open' && isComplete(part) ? 'finished' : 'failed'
    if (earlierState !== 'open') return [part]
    return this.#state === 'finished' ? [...this.#held, part] : [this.#cut(), part]
  }

  #cut(): LanguageModelV3StreamPart {
    return { type: 'error', error: cutReply(this.#contentType) }
  }
}

/** Packages start with `other` and no word from the provider, until the provider gives a reason. */
function isComplete({ finishReason }: Extract<LanguageModelV3StreamPart, { type: 'finish' }>): boolean {
  if (finishReason.unified === 'error') return false
  return finishReason.unified !== 'other' || finishReason.raw !== undefined
}

/** How the package for compatible servers reports a missing finish reason: an error about no data. */
function isCut(error: unknown): boolean {
  return InvalidResponseDataError.isInstance(error) && error.data === undefined
}

function hasWholeInput(call: LanguageModelV3ToolCall): boolean {
  try {
    JSON.parse(call.input)
    return true
  } catch {
    return false
  }
}

function cutReply(contentType: string | undefined): ArgotError {
  if (contentType === undefined || contentType.includes('text/event-stream')) {
    return new ArgotError('MODEL_STREAM_BROKEN', "The model's reply stopped before its end.")
  }
  const type = contentType.split(';', 1)[0]!.slice(0, 100)
  return new ArgotError('MODEL_BAD_REPLY', `The server sent ${type} instead of an event stream.`)
}
