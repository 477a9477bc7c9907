import { providers } from './providers.ts'

/** A provider as a person chooses among them. */
export interface ListedProvider {
  name: string
  title: string
  /** A name that can be written as it is, or with `NAME` where the provider has no usual model. */
  example: string
  /** Everything that it needs is set; whether a server answers is not known. */
  isReady: boolean
  /** What is set, or what has to be; the values are not part of it. */
  needs: string
  /** Its usual model is what a document without a name gets. */
  isDefault: boolean
}

/** Whose models can be named, and what the variables say about each. */
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
  const usual = isSet('ARGOT_BASE_URL') ? undefined : list.find(one => one.isReady && !one.example.endsWith(':NAME'))
  if (usual !== undefined) usual.isDefault = true
  const isDemo = usual === undefined && !isSet('ARGOT_BASE_URL')
  return [
    ...list,
    { ...own, name: 'demo', title: 'a model inside Argot, for trying it out', example: 'demo', isDefault: isDemo },
    { ...own, name: 'replay', title: 'repeats what a transcript says', example: 'replay:FILE', isDefault: false },
  ]
}

const own = { isReady: true, needs: '' }
