import type {
  JSONObject,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider'
import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import type { Chunk } from '../../stream/chunk.ts'
import { ReplyReader, type ReplyReaderOptions } from './reply-reader.ts'

type FinishPart = Extract<LanguageModelV3StreamPart, { type: 'finish' }>

/**
 * The reply of a model without tool calls as that of a model with them: parts of a provider's stream in, and out with the
 * calls and the reasoning that are written in its text. What is neither text nor reasoning stays as it is, at its place.
 */
export class TextReply {
  readonly #reader: ReplyReader
  #hasCall = false
  #ended = false

  constructor(options: ReplyReaderOptions) {
    this.#reader = new ReplyReader(options)
  }

  push(part: LanguageModelV3StreamPart): LanguageModelV3StreamPart[] {
    if (this.#ended) return [part]
    const chunks = this.#reader.push(part)
    if (part.type === 'finish') return [...chunks.flatMap(toParts), ...this.end(), this.#finish(part)]
    if (isProse(part)) return this.#translate(chunks)
    return [...chunks.filter(isProse).flatMap(toParts), part]
  }

  /** Settles what is open. To be called after the last part. */
  end(): LanguageModelV3StreamPart[] {
    if (this.#ended) return []
    this.#ended = true
    return this.#translate(this.#reader.end())
  }

  #translate(chunks: readonly Chunk[]): LanguageModelV3StreamPart[] {
    const parts = chunks.flatMap(toParts)
    this.#hasCall ||= parts.some(part => part.type === 'tool-call')
    return parts
  }

  #finish(part: FinishPart): FinishPart {
    if (!this.#hasCall || part.finishReason.unified !== 'stop') return part
    return { ...part, finishReason: { ...part.finishReason, unified: 'tool-calls' } }
  }
}

/** Text and reasoning, which the reader reads and writes again. */
function isProse({ type }: { type: string }): boolean {
  return prose.has(type)
}

const prose = new Set(['text-start', 'text-delta', 'text-end', 'reasoning-start', 'reasoning-delta', 'reasoning-end'])

function toParts(chunk: Chunk): LanguageModelV3StreamPart[] {
  switch (chunk.type) {
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      return [{ type: chunk.type, id: chunk.id, ...pickMetadata(chunk) }]
    case 'text-delta':
    case 'reasoning-delta':
      return [{ type: chunk.type, id: chunk.id, delta: chunk.delta, ...pickMetadata(chunk) }]
    case 'tool-input-start':
      return [{ type: 'tool-input-start', id: chunk.toolCallId, toolName: chunk.toolName }]
    case 'tool-input-delta':
      return [{ type: 'tool-input-delta', id: chunk.toolCallId, delta: chunk.inputTextDelta }]
    case 'tool-input-available': {
      const call = { toolCallId: chunk.toolCallId, toolName: chunk.toolName, ...pickMetadata(chunk) }
      return ended({ type: 'tool-call', ...call, input: JSON.stringify(chunk.input ?? {}) })
    }
    case 'tool-input-error':
      return ended(brokenCall(chunk))
    default:
      return []
  }
}

function ended(call: LanguageModelV3ToolCall): LanguageModelV3StreamPart[] {
  return [{ type: 'tool-input-end', id: call.toolCallId }, call]
}

/**
 * A call that could not be read. The AI SDK refuses it, because its input is not JSON, and tells the model so in words of its
 * own. The words of the syntax ride along, and the next prompt says these instead.
 */
function brokenCall(chunk: Extract<Chunk, { type: 'tool-input-error' }>): LanguageModelV3ToolCall {
  const { toolCallId, toolName = 'unknown', input, errorText, providerMetadata } = chunk
  const rawInput = typeof input === 'string' ? input : undefined
  const argot = { ...(providerMetadata?.argot as JSONObject | undefined), errorText, ...defined({ rawInput }) }
  return {
    type: 'tool-call',
    toolCallId,
    toolName,
    input: unreadable(rawInput ?? ''),
    providerMetadata: { ...(providerMetadata as SharedV3ProviderMetadata | undefined), argot },
  }
}

/** What was written, and never an input that would run. */
function unreadable(source: string): string {
  return isJson(source) ? `unreadable: ${source}` : source
}

/** Nothing at all counts as an empty object. */
function isJson(text: string): boolean {
  if (text.trim() === '') return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function pickMetadata({ providerMetadata }: { providerMetadata?: ProviderMetadata }): {
  providerMetadata?: SharedV3ProviderMetadata
} {
  return defined({ providerMetadata: providerMetadata as SharedV3ProviderMetadata | undefined })
}
