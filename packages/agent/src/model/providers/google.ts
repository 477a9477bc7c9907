import type { JSONObject } from '@ai-sdk/provider'
import { defined } from '@argot/core/stream/internal'
import { loadPackage } from '../load-package.ts'
import { formatAddress, type Provider, readAddress } from '../provider.ts'
import { readSettings } from '../settings.ts'

/** Google's models, through the Gemini API. */
export const google: Provider = {
  name: 'google',
  title: 'Google',
  keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  needsKey: true,
  signsReasoning: true,
  addresses: ['GOOGLE_GENERATIVE_AI_BASE_URL'],
  defaultModel: 'gemini-flash-latest',
  names: /^gemini/,
  async createModel(id, { key, address, fetch }) {
    const { createGoogleGenerativeAI } = await loadPackage('@ai-sdk/google', () => import('@ai-sdk/google'))
    const provider = createGoogleGenerativeAI({
      baseURL: address ? formatAddress(readAddress(address)) : 'https://generativelanguage.googleapis.com/v1beta',
      ...defined({ apiKey: key || undefined, fetch }),
    })
    return {
      language: provider(id),
      nativeTools: !id.startsWith('gemma'),
      settings: settings => {
        const thinkingConfig = readThinking(id, settings.reasoningEffort)
        return {
          ...readSettings(settings),
          ...defined({ providerOptions: thinkingConfig && { google: { thinkingConfig } } }),
        }
      },
    }
  },
}

const levels: ReadonlyMap<string, { level: string; budget: number }> = new Map([
  ['none', { level: 'minimal', budget: 0 }],
  ['minimal', { level: 'minimal', budget: 512 }],
  ['low', { level: 'low', budget: 2048 }],
  ['medium', { level: 'medium', budget: 8192 }],
  ['high', { level: 'high', budget: 24_576 }],
  ['xhigh', { level: 'high', budget: 24_576 }],
  ['max', { level: 'high', budget: 24_576 }],
])

/** Generation 2.5 takes a thinking budget in tokens, later ones a level. Earlier ones don't think. */
function readThinking(id: string, effort: string | undefined): JSONObject | undefined {
  const level = levels.get(effort ?? '')
  if (!level || /^gemma|^gemini-(?:1|2\.0)/.test(id)) return undefined
  const includeThoughts = effort !== 'none'
  if (!id.startsWith('gemini-2.5')) return { thinkingLevel: level.level, includeThoughts }
  // This generation's Pro can't turn thinking off; 128 is its minimum.
  const least = id.startsWith('gemini-2.5-pro') ? 128 : 0
  return { thinkingBudget: Math.max(level.budget, least), includeThoughts }
}
