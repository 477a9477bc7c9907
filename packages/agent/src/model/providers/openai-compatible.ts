import { ArgotError } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import { askListedWindow, askOllamaWindow } from '../ask-window.ts'
import { loadPackage } from '../load-package.ts'
import {
  type Address,
  formatAddress,
  type Provider,
  type ProviderModel,
  type ProviderSetup,
  readAddress,
} from '../provider.ts'
import { readSettings } from '../settings.ts'

/** Any server with the Chat Completions API: vLLM, llama.cpp, LM Studio, a gateway. */
export const openAiCompatible: Provider = {
  name: 'openai-compatible',
  title: 'The server at ARGOT_BASE_URL',
  keys: ['ARGOT_API_KEY'],
  needsKey: false,
  addresses: ['ARGOT_BASE_URL'],
  baseUrl: address => address && formatAddress(readAddress(address)),
  async createModel(id, setup) {
    if (!setup.address) {
      throw new ArgotError(
        'MODEL_BAD_ADDRESS',
        `openai-compatible:${id} needs its server's address. Set ARGOT_BASE_URL, for example to http://127.0.0.1:8080/v1.`,
      )
    }
    const baseUrl = formatAddress(readAddress(setup.address))
    const model = await createCompatible('openaiCompatible', id, baseUrl, setup)
    return { ...model, askWindow: () => askListedWindow(baseUrl, id, setup) }
  },
}

/** Ollama's models, on this machine unless a variable says otherwise. */
export const ollama: Provider = {
  name: 'ollama',
  title: 'Ollama',
  keys: ['OLLAMA_API_KEY'],
  needsKey: false,
  addresses: ['OLLAMA_BASE_URL', 'OLLAMA_HOST'],
  baseUrl: readOllamaAddress,
  async createModel(id, setup) {
    const baseUrl = readOllamaAddress(setup.address)
    const model = await createCompatible('ollama', id, baseUrl, setup)
    return { ...model, askWindow: () => askOllamaWindow(baseUrl, id, setup) }
  },
}

async function createCompatible(
  name: string,
  id: string,
  baseURL: string,
  { key, fetch }: ProviderSetup,
): Promise<ProviderModel> {
  const { createOpenAICompatible } = await loadPackage(
    '@ai-sdk/openai-compatible',
    () => import('@ai-sdk/openai-compatible'),
  )
  const provider = createOpenAICompatible({
    name,
    baseURL,
    includeUsage: true,
    ...defined({ apiKey: key || undefined, fetch }),
  })
  return {
    language: provider.chatModel(id),
    nativeTools: true,
    settings: settings => ({
      ...readSettings(settings),
      ...(settings.reasoningEffort
        ? { providerOptions: { openaiCompatible: { reasoningEffort: settings.reasoningEffort } } }
        : {}),
    }),
  }
}

/** Ollama's address. Its own variables allow a host, a port, or an address that the server listens on. */
function readOllamaAddress(address: Address | undefined): string {
  const { text, variable } = address ?? { text: '127.0.0.1', variable: 'OLLAMA_HOST' }
  const whole = text.includes('://') ? text : `http://${text.startsWith(':') ? '127.0.0.1' : ''}${text}`
  const url = readAddress({ text: whole, variable })
  if (!text.includes('://') && url.port === '') url.port = '11434'
  // A server can listen on every address of a machine; a client has to name one.
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  url.pathname = url.pathname.replace(/\/(?:api|v1)?\/*$/, '')
  return `${formatAddress(url)}/v1`
}
