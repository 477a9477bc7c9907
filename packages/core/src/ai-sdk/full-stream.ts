import type { FinishReason } from '../message/message.ts'
import type { ProviderMetadata } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import { toApprovalResponse } from '../stream/approval-response.ts'
import { type Chunk, finishReasons } from '../stream/chunk.ts'
import { OpenParts, type StreamEnding } from '../stream/open-parts.ts'

export interface FullStreamPart {
  type: string
  [field: string]: unknown
}

/**
 * Turns the AI SDK's `fullStream` into chunks, in order. A provider's error doesn't end that stream: later parts are
 * still read, and the error comes at the end, where clients expect it. The result always ends with `finish` or `abort`
 * and with every call settled, even if the stream throws or just stops.
 */
export async function* fromFullStream(
  stream: AsyncIterable<FullStreamPart>,
  options: { messageId?: string } = {},
): AsyncGenerator<Chunk, void, undefined> {
  const reader = new FullStreamReader(options.messageId)
  try {
    for await (const part of stream) {
      yield* reader.push(part)
      if (reader.ended) return
    }
  } catch (error) {
    yield* reader.fail(errorMessage(error))
    return
  }
  yield* reader.fail('The stream stopped before it finished.')
}

class FullStreamReader {
  readonly #messageId: string | undefined
  readonly #open: OpenParts = new OpenParts()
  #isStarted = false
  /** Sent at the end of the stream. */
  #firstError: string | undefined
  /** After an error, the end of a step waits for the next chunk: the error comes before the last `finish-step`. */
  #isStepOver = false

  constructor(messageId: string | undefined) {
    this.#messageId = messageId
  }

  get ended(): boolean {
    return this.#open.ended
  }

  push(part: FullStreamPart): Chunk[] {
    return toChunks(part, this.#messageId).flatMap(chunk => this.#take(chunk))
  }

  fail(errorText: string): Chunk[] {
    return [...this.#start(), ...this.#open.end({ type: 'error', errorText: this.#firstError ?? errorText })]
  }

  #take(chunk: Chunk): Chunk[] {
    if (chunk.type === 'start') return this.#start()
    const before = this.#start()
    switch (chunk.type) {
      case 'error':
        this.#firstError ??= chunk.errorText
        return before
      case 'finish':
        return [...before, ...this.#finish(chunk)]
      case 'abort':
        return [...before, ...this.#open.end(this.#firstError === undefined ? chunk : errorEnding(this.#firstError))]
      case 'finish-step':
        this.#isStepOver = this.#firstError !== undefined
        return this.#isStepOver ? before : [...before, ...this.#finishStep()]
      default:
        return [...before, ...this.#releaseStep(chunk), ...this.#pass(chunk)]
    }
  }

  #start(): Chunk[] {
    if (this.#isStarted) return []
    this.#isStarted = true
    return this.#pass(startChunk(this.#messageId))
  }

  #finish(chunk: Extract<Chunk, { type: 'finish' }>): Chunk[] {
    if (this.#firstError === undefined) return this.#open.end(chunk)
    const { finishReason, messageMetadata } = chunk
    return this.#open.end({ ...errorEnding(this.#firstError), ...defined({ finishReason, messageMetadata }) })
  }

  /** Another step follows, so the previous one is over. Results may come after the end of their step. */
  #releaseStep({ type }: Chunk): Chunk[] {
    if (!this.#isStepOver || type !== 'start-step') return []
    this.#isStepOver = false
    return this.#finishStep()
  }

  #finishStep(): Chunk[] {
    return [...this.#open.endTexts(this.#firstError !== undefined), ...this.#pass({ type: 'finish-step' })]
  }

  #pass(chunk: Chunk): Chunk[] {
    this.#open.watch(chunk)
    return [chunk]
  }
}

function errorEnding(errorText: string): Extract<StreamEnding, { type: 'error' }> {
  return { type: 'error', errorText }
}

function startChunk(messageId: string | undefined): Chunk {
  return messageId === undefined ? { type: 'start' } : { type: 'start', messageId }
}

function toChunks(part: FullStreamPart, messageId: string | undefined): Chunk[] {
  const metadata = pickMetadata(part)
  switch (part.type) {
    case 'start':
      return [startChunk(messageId)]
    case 'start-step':
    case 'finish-step':
      return [{ type: part.type }]
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      return [{ type: part.type, id: text(part.id), ...metadata }]
    case 'text-delta':
    case 'reasoning-delta':
      return [{ type: part.type, id: text(part.id), delta: text(part.text ?? part.delta), ...metadata }]
    case 'tool-input-start':
      return [
        { type: part.type, toolCallId: text(part.id), toolName: text(part.toolName), ...toolFields(part), ...metadata },
      ]
    case 'tool-input-delta':
      return [{ type: part.type, toolCallId: text(part.id), inputTextDelta: text(part.delta) }]
    case 'tool-call':
      return [toolCall(part, metadata)]
    case 'tool-result': {
      return [
        {
          type: 'tool-output-available',
          toolCallId: text(part.toolCallId),
          output: 'output' in part ? part.output : part.result,
          ...defined({ preliminary: asTrue(part.preliminary) }),
          ...toolFields(part),
          ...metadata,
        },
      ]
    }
    case 'tool-error':
      return [
        {
          type: 'tool-output-error',
          toolCallId: text(part.toolCallId),
          errorText: errorMessage(part.error),
          ...toolFields(part),
          ...metadata,
        },
      ]
    case 'tool-output-denied':
      return [{ type: 'tool-output-denied', toolCallId: text(part.toolCallId) }]
    case 'tool-approval-request':
      return [approvalRequest(part)]
    case 'tool-approval-response':
      return [approvalResponse(part)]
    case 'source':
      return [source(part, metadata)]
    case 'file':
      return [file(part, metadata)]
    case 'finish':
      return [finish(part)]
    case 'abort':
      return [typeof part.reason === 'string' ? { type: 'abort', reason: part.reason } : { type: 'abort' }]
    case 'error':
      return [{ type: 'error', errorText: errorMessage(part.error) }]
    default:
      return []
  }
}

function toolCall(part: FullStreamPart, metadata: { providerMetadata?: ProviderMetadata }): Chunk {
  const call = {
    toolCallId: text(part.toolCallId),
    toolName: text(part.toolName),
    input: 'input' in part ? part.input : part.args,
  }
  if (part.invalid !== true) return { type: 'tool-input-available', ...call, ...toolFields(part), ...metadata }
  return { type: 'tool-input-error', ...call, errorText: errorMessage(part.error), ...toolFields(part), ...metadata }
}

function approvalRequest(part: FullStreamPart): Chunk {
  const call = record(part.toolCall)
  return {
    type: 'tool-approval-request',
    approvalId: text(part.approvalId),
    toolCallId: text(call.toolCallId ?? part.toolCallId),
    toolName: text(call.toolName),
    input: call.input,
    ...defined({ dynamic: asTrue(call.dynamic), signature: asText(part.signature) }),
  }
}

/** Since `ai` 7, the stream contains the answer to an approval request. */
function approvalResponse(part: FullStreamPart): Chunk {
  const call = record(part.toolCall)
  const ids = { approvalId: text(part.approvalId), toolCallId: text(call.toolCallId ?? part.toolCallId) }
  return toApprovalResponse(ids, { approved: part.approved === true, ...defined({ reason: asText(part.reason) }) })
}

function source(part: FullStreamPart, metadata: { providerMetadata?: ProviderMetadata }): Chunk {
  if (part.sourceType !== 'document') {
    const title = defined({ title: asText(part.title) })
    return { type: 'source-url', sourceId: text(part.id), url: text(part.url), ...title, ...metadata }
  }
  return {
    type: 'source-document',
    sourceId: text(part.id),
    mediaType: text(part.mediaType),
    title: text(part.title),
    ...defined({ filename: asText(part.filename) }),
    ...metadata,
  }
}

function file(part: FullStreamPart, metadata: { providerMetadata?: ProviderMetadata }): Chunk {
  const { mediaType, base64 } = record(part.file)
  return {
    type: 'file',
    mediaType: text(mediaType),
    url: `data:${text(mediaType)};base64,${text(base64)}`,
    ...metadata,
  }
}

function finish(part: FullStreamPart): Extract<Chunk, { type: 'finish' }> {
  const reason = part.finishReason as FinishReason
  const finishReason = finishReasons.includes(reason) ? reason : 'other'
  const messageMetadata = part.totalUsage === undefined ? undefined : { usage: part.totalUsage }
  return { type: 'finish', finishReason, ...defined({ messageMetadata }) }
}

function toolFields(part: FullStreamPart): { dynamic?: boolean; title?: string; providerExecuted?: boolean } {
  return defined({
    dynamic: asTrue(part.dynamic),
    title: asText(part.title),
    providerExecuted: asTrue(part.providerExecuted),
  })
}

function pickMetadata(part: FullStreamPart): { providerMetadata?: ProviderMetadata } {
  const { providerMetadata } = part
  if (typeof providerMetadata !== 'object' || providerMetadata === null) return {}
  return { providerMetadata: providerMetadata as ProviderMetadata }
}

function asTrue(value: unknown): true | undefined {
  return value === true ? true : undefined
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value)
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function errorMessage(error: unknown): string {
  if (error instanceof Error) return error.message
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? 'Unknown error.')
}
