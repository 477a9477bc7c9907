import type { LanguageModelV3CallOptions, LanguageModelV3Message, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { estimateTokens } from '@argot/core/stream/internal'
import type { Usage } from '../model/model.ts'

/** Approximate cost of a picture or another file, whatever its format. */
export const FILE_TOKENS = 1000

interface SentPrompt {
  prompt: readonly LanguageModelV3Message[]
  tools: LanguageModelV3CallOptions['tools'] | undefined
}

/** A prompt's messages stay the same objects from step to step. */
const estimates = new WeakMap<LanguageModelV3Message, number>()

/** Counts the tokens of a model call, for providers that don't. */
export class UsageEstimate {
  #prompt: SentPrompt | undefined
  readonly #reply: string[] = []
  #length = 0
  readonly #pieces: Set<string> = new Set()

  /** Approximate length of the reply so far in characters, including files and unfinished calls. */
  get length(): number {
    return this.#length
  }

  setPrompt(prompt: SentPrompt): void {
    this.#prompt = prompt
  }

  push(part: LanguageModelV3StreamPart): void {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#reply.push(part.delta)
        this.#length += part.delta.length
        return
      case 'tool-input-delta':
        this.#length += part.delta.length
        return
      case 'tool-call':
        this.#reply.push(part.toolName, part.input)
        // The input either arrived in pieces before or arrives only here.
        this.#length += part.toolName.length + (this.#pieces.delete(part.toolCallId) ? 0 : part.input.length)
        return
      case 'tool-input-start':
        this.#pieces.add(part.id)
        return
      case 'file':
        this.#length += part.data.length
        return
      default:
    }
  }

  /** The provider's usage, with estimates for missing figures. */
  complete(usage: Usage | undefined): Usage {
    const inputTokens = usage?.inputTokens || this.#inputTokens()
    const outputTokens = usage?.outputTokens || estimateTokens(this.#reply.join(''))
    const isSame = inputTokens === usage?.inputTokens && outputTokens === usage.outputTokens
    if (isSame) return usage
    return { ...usage, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true }
  }

  #inputTokens(): number {
    const { prompt = [], tools = [] } = this.#prompt ?? {}
    return countPrompt(prompt, tools)
  }
}

export function countPrompt(
  prompt: readonly LanguageModelV3Message[],
  tools: LanguageModelV3CallOptions['tools'] = [],
): number {
  const toolTokens = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools))
  return prompt.reduce((sum, message) => sum + estimateMessage(message), toolTokens)
}

/** An upper bound of the same estimate, which is much faster to compute. */
export function boundPrompt(
  prompt: readonly LanguageModelV3Message[],
  tools: LanguageModelV3CallOptions['tools'] = [],
): number {
  const toolLength = tools.length === 0 ? 0 : JSON.stringify(tools).length
  return prompt.reduce((sum, message) => sum + boundMessage(message), toolLength * MOST_TOKENS_PER_CHARACTER)
}

/** The estimate counts more than one token for some characters outside ASCII. */
const MOST_TOKENS_PER_CHARACTER = 1.5

function boundMessage({ content }: LanguageModelV3Message): number {
  if (typeof content === 'string') return content.length * MOST_TOKENS_PER_CHARACTER
  let bound = 0
  for (const part of content) {
    if (part.type === 'text' || part.type === 'reasoning') bound += part.text.length * MOST_TOKENS_PER_CHARACTER
    else if (part.type === 'file') bound += FILE_TOKENS
    else bound += (JSON.stringify(part)?.length ?? 0) * MOST_TOKENS_PER_CHARACTER + FILE_TOKENS
  }
  return bound
}

function estimateMessage(message: LanguageModelV3Message): number {
  let tokens = estimates.get(message)
  if (tokens === undefined) {
    tokens = countMessage(message)
    estimates.set(message, tokens)
  }
  return tokens
}

function countMessage({ content }: LanguageModelV3Message): number {
  if (typeof content === 'string') return estimateTokens(content)
  let tokens = 0
  for (const part of content) {
    if (part.type === 'text' || part.type === 'reasoning') tokens += estimateTokens(part.text)
    else if (part.type === 'file') tokens += FILE_TOKENS
    else tokens += countJson(part)
  }
  return tokens
}

/** Files inside a tool's output are long texts that no model reads as text. */
function countJson(value: unknown): number {
  let files = 0
  const text = JSON.stringify(value, (key, field: unknown) => {
    if (key !== 'data' && !(field instanceof Uint8Array)) return field
    files++
    return undefined
  })
  return estimateTokens(text ?? '') + files * FILE_TOKENS
}
