import type { Provider } from './provider.ts'
import { anthropic } from './providers/anthropic.ts'
import { google } from './providers/google.ts'
import { openAi } from './providers/openai.ts'
import { ollama, openAiCompatible } from './providers/openai-compatible.ts'

/** Every provider by name. If no model is named, this is the order in which keys are looked for. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  [openAi, anthropic, google, ollama, openAiCompatible].map(provider => [provider.name, provider]),
)

export function findProvider(modelName: string): Provider | undefined {
  const colon = modelName.indexOf(':')
  return colon < 0 ? undefined : providers.get(modelName.slice(0, colon).toLowerCase())
}
