/** Type tests: the middleware is one of `ai` 6, and of `ai` 7, which takes any version of the interface. */
import type { LanguageModelV3, LanguageModelV3Middleware } from '@ai-sdk/provider'
import { textSyntaxMiddleware } from '@argot/core/ai-sdk'
import { wrapLanguageModel } from 'ai'
import type { LanguageModelV4Middleware } from 'ai-provider-v4'

/** As `ai` 7 declares it. */
type LanguageModelMiddleware7 = Omit<LanguageModelV4Middleware, 'specificationVersion'> & {
  readonly specificationVersion?: string
}

export const six: LanguageModelV3Middleware = textSyntaxMiddleware('hermes')
export const seven: LanguageModelMiddleware7 = textSyntaxMiddleware('hermes')

export function wrap(model: LanguageModelV3): LanguageModelV3 {
  return wrapLanguageModel({ model, middleware: textSyntaxMiddleware('auto') })
}
