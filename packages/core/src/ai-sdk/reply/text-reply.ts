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
 * Turns the reply of a model without tool calls into that of a model with them: calls and reasoning in the text become
 * parts. Other parts stay unchanged, at their place.
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
      return endCall({ type: 'tool-call', ...call, input: JSON.stringify(chunk.input ?? {}) })
    }
    case 'tool-input-error':
      return endCall(brokenCall(chunk))
    default:
      return []
  }
}

function endCall(call: LanguageModelV3ToolCall): LanguageModelV3StreamPart[] {
  return [{ type: 'tool-input-end', id: call.toolCallId }, call]
}

/**
 * The AI SDK rejects this call, because its input is not JSON, and reports that to the model in its own words. The
 * syntax's words are in the metadata, and the next prompt uses those instead.
 */
function brokenCall(chunk: Extract<Chunk, { type: 'tool-input-error' }>): LanguageModelV3ToolCall {
  const { toolCallId, toolName = 'unknown', input, errorText, providerMetadata } = chunk
  const rawInput = typeof input === 'string' ? input : undefined
  const argot = { ...(providerMetadata?.argot as JSONObject | undefined), errorText, ...defined({ rawInput }) }
  return {
    type: 'tool-call',
    toolCallId,
    toolName,
    input: toUnreadableInput(rawInput ?? ''),
    providerMetadata: { ...(providerMetadata as SharedV3ProviderMetadata | undefined), argot },
  }
}

/** The model's text, but never an input that would run. */
function toUnreadableInput(source: string): string {
  return isJson(source) ? `unreadable: ${source}` : source
}

/** Empty text is treated as an empty object. */
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
