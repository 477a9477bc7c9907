import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { defined } from '@argot/core/stream/internal'
import type { ModelSettings } from './model.ts'

/** The settings that all providers take in the same way. */
export function readSettings({ maxTokens, temperature }: ModelSettings): Partial<LanguageModelV3CallOptions> {
  return defined({ maxOutputTokens: maxTokens, temperature })
}
