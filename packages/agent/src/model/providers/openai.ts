import { defined } from '@argot/core/stream/internal'
import { loadPackage } from '../load-package.ts'
import { formatAddress, type Provider, readAddress } from '../provider.ts'
import { readSettings } from '../settings.ts'

/** OpenAI's models, through its Responses API and without its store: a document has all that the next step needs. */
export const openAi: Provider = {
  name: 'openai',
  title: 'OpenAI',
  keys: ['OPENAI_API_KEY'],
  needsKey: true,
  signsReasoning: true,
  addresses: ['OPENAI_BASE_URL'],
  defaultModel: 'gpt-5.4-mini',
  names: /^(?:gpt-|o1|o3|o4|chatgpt|ft:)/,
  async createModel(id, { key, address, fetch }) {
    const { createOpenAI } = await loadPackage('@ai-sdk/openai', () => import('@ai-sdk/openai'))
    const openai = createOpenAI({
      baseURL: address ? formatAddress(readAddress(address)) : 'https://api.openai.com/v1',
      ...defined({ apiKey: key || undefined, fetch }),
    })
    return {
      language: openai.responses(id),
      nativeTools: true,
      settings: settings => ({
        ...readSettings(settings),
        providerOptions: {
          openai: {
            // Without the store, a reasoning model returns its reasoning encrypted. The package requests that by
            // itself.
            store: false,
            // The package recognizes reasoning models by the start of their names, so it misses fine-tuned ones.
            ...(/^ft:(?:o\d|gpt-[5-9])/.test(id) ? { forceReasoning: true } : {}),
            // Summaries need a verified organization, so Argot requests them only if reasoning is requested.
            ...(settings.reasoningEffort
              ? { reasoningEffort: settings.reasoningEffort, reasoningSummary: 'auto' }
              : {}),
          },
        },
      }),
    }
  },
}
