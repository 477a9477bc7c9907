import type { JSONObject } from '@ai-sdk/provider'
import { defined } from '@argot/core/stream/internal'
import { loadPackage } from '../load-package.ts'
import { type Address, formatAddress, type Provider, readAddress } from '../provider.ts'
import { readSettings } from '../settings.ts'

/** Anthropic's models, through its Messages API. */
export const anthropic: Provider = {
  name: 'anthropic',
  title: 'Anthropic',
  keys: ['ANTHROPIC_API_KEY'],
  needsKey: true,
  signsReasoning: true,
  addresses: ['ANTHROPIC_BASE_URL'],
  defaultModel: 'claude-sonnet-5',
  names: /^claude/,
  async createModel(id, { key, address, fetch }) {
    const { createAnthropic } = await loadPackage('@ai-sdk/anthropic', () => import('@ai-sdk/anthropic'))
    const provider = createAnthropic({
      baseURL: address ? withVersion(address) : 'https://api.anthropic.com/v1',
      ...defined({ apiKey: key || undefined, fetch }),
    })
    return {
      language: provider(id),
      nativeTools: true,
      settings: settings => {
        const options = readReasoning(id, settings.reasoningEffort)
        return { ...readSettings(settings), ...defined({ providerOptions: options && { anthropic: options } }) }
      },
    }
  },
}

/** Other programs set this variable without the version, but the package needs it. */
function withVersion(address: Address): string {
  const text = formatAddress(readAddress(address))
  return /\/v\d+$/.test(text) ? text : `${text}/v1`
}

/** Up to generation 4.5, models take a thinking budget in tokens. Later ones take an effort. */
const thinksByBudget = /claude-(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8})?$/
const neverThinks = /claude-(?:instant|v?2|3)(?=$|[-.])/

const budgets: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 4096],
  ['medium', 8192],
  ['high', 16_384],
  ['xhigh', 24_576],
  ['max', 24_576],
])

function readReasoning(id: string, effort: string | undefined): JSONObject | undefined {
  if (!effort || neverThinks.test(id)) return undefined
  if (effort === 'none') return { thinking: { type: 'disabled' } }
  const budget = budgets.get(effort)
  if (budget === undefined) return undefined
  if (thinksByBudget.test(id)) return { thinking: { type: 'enabled', budgetTokens: budget } }
  return {
    thinking: { type: 'adaptive', display: 'summarized' },
    effort: effort === 'minimal' ? 'low' : effort,
  }
}
