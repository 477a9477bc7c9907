import type { LanguageModelV3CallOptions, LanguageModelV3Message, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { estimateTokens } from '@argot/core/stream/internal'
import type { Usage } from '../model/model.ts'

/** What a picture or another file costs about, whatever its format. */
export const TOKENS_OF_A_FILE = 1000

/** What is sent to a model, as far as it is counted. */
interface AskedPrompt {
  prompt: readonly LanguageModelV3Message[]
  tools: LanguageModelV3CallOptions['tools'] | undefined
}

/** Messages of a prompt stay the same objects from step to step. */
const estimates = new WeakMap<LanguageModelV3Message, number>()

/** Counts what a model call says and is told, for providers that do not. */
export class UsageEstimate {
  #asked: AskedPrompt | undefined
  readonly #reply: string[] = []
  #length = 0
  /** Calls whose input comes in pieces. */
  readonly #pieces: Set<string> = new Set()

  /** About how many characters the reply has so far, those of files and of unfinished calls included. */
  get length(): number {
    return this.#length
  }

  /** What the model is sent. */
  ask(asked: AskedPrompt): void {
    this.#asked = asked
  }

  /** A part of the reply. */
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
        // Its input has come in pieces before, or comes only here.
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

  /** What the provider counted, with an estimate for what it did not. */
  complete(usage: Usage | undefined): Usage {
    const inputTokens = usage?.inputTokens || this.#inputTokens()
    const outputTokens = usage?.outputTokens || estimateTokens(this.#reply.join(''))
    const isSame = inputTokens === usage?.inputTokens && outputTokens === usage.outputTokens
    if (isSame) return usage
    return { ...usage, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true }
  }

  #inputTokens(): number {
    const { prompt = [], tools = [] } = this.#asked ?? {}
    return countPrompt(prompt, tools)
  }
}

/** About how many tokens a prompt has, its tools included. */
export function countPrompt(
  prompt: readonly LanguageModelV3Message[],
  tools: LanguageModelV3CallOptions['tools'] = [],
): number {
  const declared = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools))
  return prompt.reduce((sum, message) => sum + tokensOfMessage(message), declared)
}

/** More tokens than this a prompt has not, by the same estimate, and that is known much sooner. */
export function boundPrompt(
  prompt: readonly LanguageModelV3Message[],
  tools: LanguageModelV3CallOptions['tools'] = [],
): number {
  const declared = tools.length === 0 ? 0 : JSON.stringify(tools).length
  return prompt.reduce((sum, message) => sum + boundMessage(message), declared * MOST_PER_CHARACTER)
}

/** Of marks outside of ASCII, the estimate counts more than one token each. */
const MOST_PER_CHARACTER = 1.5

function boundMessage({ content }: LanguageModelV3Message): number {
  if (typeof content === 'string') return content.length * MOST_PER_CHARACTER
  let bound = 0
  for (const part of content) {
    if (part.type === 'text' || part.type === 'reasoning') bound += part.text.length * MOST_PER_CHARACTER
    else if (part.type === 'file') bound += TOKENS_OF_A_FILE
    else bound += (JSON.stringify(part)?.length ?? 0) * MOST_PER_CHARACTER + TOKENS_OF_A_FILE
  }
  return bound
}

function tokensOfMessage(message: LanguageModelV3Message): number {
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
    else if (part.type === 'file') tokens += TOKENS_OF_A_FILE
    else tokens += countJson(part)
  }
  return tokens
}

/** Files inside the output of a tool are long texts that no model reads as text. */
function countJson(value: unknown): number {
  let files = 0
  const text = JSON.stringify(value, (key, field: unknown) => {
    if (key !== 'data' && !(field instanceof Uint8Array)) return field
    files++
    return undefined
  })
  return estimateTokens(text ?? '') + files * TOKENS_OF_A_FILE
}
