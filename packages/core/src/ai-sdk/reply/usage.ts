import type { LanguageModelV3Usage } from '@ai-sdk/provider'
import { defined } from '../../source/defined.ts'

/** The tokens of one or several model calls. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  reasoningTokens?: number
  cachedInputTokens?: number
  /** The provider didn't count all of it; the rest is an estimate. */
  estimated?: true
}

/** A missing or invalid count is zero. */
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

function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
