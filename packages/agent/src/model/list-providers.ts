import { providers } from './providers.ts'

export interface ListedProvider {
  name: string
  title: string
  /** A usable model name, or one with `NAME` in it if the provider has no usual model. */
  example: string
  /** All required variables are set. Whether a server answers is unknown. */
  isReady: boolean
  /** What is set or has to be set, without the values. */
  needs: string
  /** Documents that name no model get this provider's usual one. */
  isDefault: boolean
}

export function listProviders(env: Readonly<Record<string, string | undefined>>): ListedProvider[] {
  const isSet = (name: string): boolean => Boolean(env[name]?.trim())
  const list = [...providers.values()].map((provider): ListedProvider => {
    const { name, title, keys, addresses, needsKey, defaultModel } = provider
    const key = keys.find(isSet)
    const address = addresses.find(isSet)
    const isReady = needsKey ? key !== undefined : address !== undefined || name === 'ollama'
    const missing = needsKey ? keys.join(' or ') : addresses.join(' or ')
    const set = [key, address].filter(one => one !== undefined).map(one => `${one} is set`)
    const needs = isReady ? set.join(', ') : `set ${missing}`
    return { name, title, example: `${name}:${defaultModel ?? 'NAME'}`, isReady, needs, isDefault: false }
  })
  const defaultProvider = isSet('ARGOT_BASE_URL')
    ? undefined
    : list.find(one => one.isReady && !one.example.endsWith(':NAME'))
  if (defaultProvider !== undefined) defaultProvider.isDefault = true
  const isDemo = defaultProvider === undefined && !isSet('ARGOT_BASE_URL')
  return [
    ...list,
    { ...builtin, name: 'demo', title: 'a built-in model for trying Argot', example: 'demo', isDefault: isDemo },
    { ...builtin, name: 'replay', title: 'replays a transcript', example: 'replay:FILE', isDefault: false },
  ]
}

const builtin = { isReady: true, needs: '' }
