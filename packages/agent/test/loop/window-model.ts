import {
  APICallError,
  type LanguageModelV3CallOptions,
  type LanguageModelV3Prompt,
  type LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { estimateTokens } from '@argot/core/stream/internal'
import { finish, type ScriptedModel, scriptedModel, text } from '../scripted-model.ts'

/** About how many tokens a provider counts for a prompt, its tools included. */
export function sizeOf({ prompt, tools }: Pick<LanguageModelV3CallOptions, 'prompt' | 'tools'>): number {
  return prompt.reduce(
    (sum, { content }) => sum + countContent(content),
    tools === undefined || tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)),
  )
}

function countContent(content: LanguageModelV3Prompt[number]['content']): number {
  if (typeof content === 'string') return estimateTokens(content)
  return content.reduce((sum, part) => {
    if (part.type === 'file') return sum + 1000
    return sum + estimateTokens('text' in part ? part.text : JSON.stringify(part))
  }, 0)
}

export function isSummaryRequest({ prompt }: LanguageModelV3CallOptions): boolean {
  return JSON.stringify(prompt[0]).includes('You summarise the older part')
}

export interface WindowModelOptions {
  /** Refuses prompts with more tokens than this. */
  window: number
  reply: (options: LanguageModelV3CallOptions, tokens: number) => readonly LanguageModelV3StreamPart[] | string
  summary?: ((options: LanguageModelV3CallOptions) => string) | undefined
  /** How many tokens it counts for each of ours. */
  rate?: number
}

export interface WindowModel extends ScriptedModel {
  /** What was refused because it was too long. */
  readonly refused: LanguageModelV3CallOptions[]
  /** The requests that were not for a summary, and those that were. */
  readonly replies: LanguageModelV3CallOptions[]
  /** How many tokens each of the former had. */
  readonly sizes: number[]
  readonly summaries: LanguageModelV3CallOptions[]
}

/** A model with a window: it counts what it is sent, and refuses what is too long, as providers do. */
export function windowModel({ window, reply, summary, rate = 1 }: WindowModelOptions): WindowModel {
  const refused: LanguageModelV3CallOptions[] = []
  const replies: LanguageModelV3CallOptions[] = []
  const sizes: number[] = []
  const summaries: LanguageModelV3CallOptions[] = []
  const script = scriptedModel([
    options => {
      const tokens = Math.round(sizeOf(options) * rate)
      if (tokens > window) {
        refused.push(options)
        throw tooLong(tokens, window)
      }
      const isSummary = isSummaryRequest(options)
      if (!isSummary) sizes.push(tokens)
      const copy = structuredClone({ prompt: options.prompt, tools: options.tools })
      ;(isSummary ? summaries : replies).push(copy as LanguageModelV3CallOptions)
      const said = isSummary ? (summary?.(options) ?? `Summary ${summaries.length}.`) : reply(options, tokens)
      return typeof said === 'string' ? [...text(said), finish('stop', tokens)] : said
    },
  ])
  return Object.assign(script, { refused, replies, sizes, summaries })
}

function tooLong(tokens: number, window: number): APICallError {
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`
  return new APICallError({
    message,
    url: 'http://model.test/v1',
    requestBodyValues: {},
    statusCode: 400,
    responseBody: JSON.stringify({ error: { message, code: 'context_length_exceeded' } }),
    data: { error: { message, code: 'context_length_exceeded' } },
  })
}

/** What is wrong with the calls and results of a prompt. */
export function findLoneCalls(prompt: LanguageModelV3Prompt): string[] {
  const wrong: string[] = []
  let open = new Set<string>()
  for (const { role, content } of prompt) {
    if (role === 'tool') {
      for (const part of content) {
        if (part.type !== 'tool-result') continue
        if (!open.delete(part.toolCallId)) wrong.push(`a result without its call: ${part.toolCallId}`)
      }
      continue
    }
    for (const id of open) wrong.push(`a call without its result: ${id}`)
    open = new Set()
    if (role !== 'assistant') continue
    for (const part of content) if (part.type === 'tool-call') open.add(part.toolCallId)
  }
  for (const id of open) wrong.push(`a call without its result: ${id}`)
  return wrong
}

/** Numbers from 0 to 1 that are the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
