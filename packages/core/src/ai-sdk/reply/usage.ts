import type { LanguageModelV3Usage } from '@ai-sdk/provider'
import { defined } from '../../source/defined.ts'

/** Tokens of one or several model calls. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  reasoningTokens?: number
  cachedInputTokens?: number
  /** Some of it was not counted by the provider, and is an estimate. */
  estimated?: true
}

/** What a provider counted, in one shape; what it did not count, or counted wrongly, is zero. */
export function toUsage(usage: LanguageModelV3Usage | undefined): Usage {
  const inputTokens = asCount(usage?.inputTokens?.total) ?? 0
  const outputTokens = asCount(usage?.outputTokens?.total) ?? 0
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...defined({
      reasoningTokens: asCount(usage?.outputTokens?.reasoning),
      cachedInputTokens: asCount(usage?.inputTokens?.cacheRead),
    }),
  }
}

/** A number of tokens; undefined for what is not one. */
function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
