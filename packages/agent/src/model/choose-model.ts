import { ArgotError } from '@argot/core'
import { defined, nearestNames } from '@argot/core/stream/internal'
import { askServer, type ServerAnswer } from './ask-servers.ts'
import { createDemoModel } from './demo/demo-model.ts'
import type { Model } from './model.ts'
import type { Provider, ProviderSetup } from './provider.ts'
import { findProvider, providers } from './providers.ts'
import { createReplayModel } from './replay-model.ts'
import { requireFinish } from './require-finish.ts'
import { watchBytes } from './watch-bytes.ts'

/** The server may be busy with a model at the time of the request. */
const PATIENCE_MS = 10_000
const MOST_NAMES = 20

export interface BuiltinModelOptions {
  directory?: string
  /** The folders that a recording must be in; any folder if left out. */
  within?: readonly string[]
}

/** Creates a built-in model. `rest` is the name after the colon. */
export type CreateBuiltinModel = (rest: string, options: BuiltinModelOptions) => Promise<Model>

/** The models that need no provider, by the word before the colon: `demo`, `replay`. */
export const builtinModels: Map<string, CreateBuiltinModel> = new Map<string, CreateBuiltinModel>([
  ['demo', async () => createDemoModel()],
  ['replay', createReplayModel],
])

export interface ChooseModelOptions {
  /** The provider for names without one. */
  api?: string
  env: Readonly<Record<string, string | undefined>>
  /** Where a relative path in a name starts. */
  directory?: string
  /**
   * The folders that the file of `replay:FILE` must be in. Set them if the name doesn't come from the user: the file is
   * opened by its real path, so that no link leads out of them.
   */
  within?: readonly string[]
  fetch?: typeof fetch
}

/**
 * Creates the model for a name (`gpt-4o`, `anthropic:claude-sonnet-5`, `ollama:llama3:8b`, `demo`). Without a name, the
 * environment variables decide. Sends nothing to a model yet, but may ask a server for its only model. Throws an
 * `ArgotError` that says what to set.
 */
export async function chooseModel(name: string | undefined, options: ChooseModelOptions): Promise<Model> {
  const requested = name?.trim() || undefined
  if (requested === undefined) return createDefault(readApi(options.api), options)
  const model = findModel(requested, options)
  return 'create' in model ? model.create(model.rest, options) : createModel(model.provider, model.id, options)
}

/** Throws if a name, or the provider beside it, can't mean a model on any machine. Doesn't check keys or servers. */
export function checkModelName(name: string | undefined, options: Pick<ChooseModelOptions, 'api' | 'env'>): void {
  readApi(options.api)
  const requested = name?.trim()
  if (requested) findModel(requested, options)
}

/** Resolves a name. Throws `MODEL_UNKNOWN_PROVIDER` and `MODEL_MISSING_NAME`. */
function findModel(
  name: string,
  options: Pick<ChooseModelOptions, 'api' | 'env'>,
): { create: CreateBuiltinModel; rest: string } | { provider: Provider; id: string } {
  const builtinModel = findBuiltinModel(name)
  if (builtinModel !== undefined) return builtinModel
  const prefixProvider = findProvider(name)
  const provider = prefixProvider ?? readApi(options.api) ?? guessProvider(name, options)
  const id = prefixProvider === undefined ? name : name.slice(prefixProvider.name.length + 1).trim()
  if (id !== '') return { provider, id }
  throw new ArgotError(
    'MODEL_MISSING_NAME',
    `A model name is missing after ${quote(`${provider.name}:`)}, for example ${provider.name}:${provider.defaultModel ?? 'llama3'}.`,
  )
}

/** The file that a model name refers to (`replay:FILE`). Undefined for other names. */
export function findRecording(name: string | undefined): string | undefined {
  const builtinModel = findBuiltinModel(name?.trim() ?? '')
  return builtinModel?.create === createReplayModel ? builtinModel.rest : undefined
}

function findBuiltinModel(name: string): { create: CreateBuiltinModel; rest: string } | undefined {
  const colon = name.indexOf(':')
  const create = builtinModels.get(colon < 0 ? name : name.slice(0, colon))
  return create && { create, rest: colon < 0 ? '' : name.slice(colon + 1) }
}

function readApi(name: string | undefined): Provider | undefined {
  const api = name?.trim()
  if (!api) return undefined
  const provider = providers.get(api.toLowerCase())
  if (provider) return provider
  const [nearest] = nearestNames(api, providers.keys(), 1, maxDistance)
  const cure = nearest === undefined ? describeProviders() : `Did you mean ${quote(nearest)}?`
  throw new ArgotError('MODEL_UNKNOWN_PROVIDER', `There is no provider ${quote(api)}. ${cure}`)
}

function guessProvider(name: string, { env }: Pick<ChooseModelOptions, 'env'>): Provider {
  for (const provider of providers.values()) if (provider.names?.test(name)) return provider
  const prefix = /^([^:/]*):/.exec(name)?.[1]
  if (prefix !== undefined) {
    const [nearest] = nearestNames(prefix, [...providers.keys(), ...builtinModels.keys()], 1, maxDistance)
    const cure =
      nearest === undefined ? describeProviders() : `Did you mean ${quote(nearest + name.slice(prefix.length))}?`
    const mayBeLocal = nearest === undefined || providers.get(nearest)?.needsKey === false
    const local = mayBeLocal ? ` Local models need a provider prefix too: ${quote(`ollama:${name}`)}.` : ''
    throw new ArgotError('MODEL_UNKNOWN_PROVIDER', `There is no provider ${quote(prefix)}. ${cure}${local}`)
  }
  return providers.get(env.ARGOT_BASE_URL?.trim() ? 'openai-compatible' : 'openai')!
}

/** `llama3` is a model, not a misspelled `ollama`. */
function maxDistance(name: string): number {
  return name.length < 8 ? 1 : 2
}

function describeProviders(): string {
  return `Write a model as PROVIDER:NAME. The providers are ${[...providers.keys(), ...builtinModels.keys()].join(', ')}.`
}

/** The model if no name is set. An address that was set for Argot always takes precedence over a paid provider. */
async function createDefault(api: Provider | undefined, options: ChooseModelOptions): Promise<Model> {
  const { env } = options
  const local = env.ARGOT_BASE_URL?.trim() ? providers.get('openai-compatible') : undefined
  const provider = api ?? local ?? [...providers.values()].find(one => one.needsKey && findVariable(one.keys, env))
  if (provider && !provider.defaultModel) {
    const why = api ? `the provider is ${api.name}` : 'ARGOT_BASE_URL is set'
    const id = await findOnlyModel(provider, why, options)
    const model = await createModel(provider, id, options)
    model.notice = `No model is set. Using ${model.name}, because ${why} and its server has no other model.`
    return model
  }
  if (provider?.defaultModel) {
    const model = await createModel(provider, provider.defaultModel, options)
    const variable = findVariable(provider.keys, env)
    model.notice = `No model is set. Using ${model.name}, because ${api ? `the provider is ${api.name}` : `${variable} is set`}. Choose another with --model or <config model="…"/>.`
    return model
  }
  const createDemo = builtinModels.get('demo')
  if (createDemo) return createDemo('', options)
  throw new ArgotError('MODEL_MISSING_NAME', `No model and no key are set. ${describeProviders()}`)
}

/** The only model of a server without a default. If it has several, throws an error that lists them. */
async function findOnlyModel(provider: Provider, why: string, options: ChooseModelOptions): Promise<string> {
  const { key, address } = readSetup(provider, `${provider.name}:NAME`, options)
  const baseUrl = provider.baseUrl?.(address)
  const answer = baseUrl === undefined ? undefined : await askServer(baseUrl, key, PATIENCE_MS)
  const names = [...new Set(answer?.models)]
  if (names.length === 1) return names[0]!
  throw new ArgotError('MODEL_MISSING_NAME', `No model is set. ${describeServer(provider, why, answer, names)}`)
}

function describeServer(
  { name, addresses }: Provider,
  why: string,
  answer: ServerAnswer | undefined,
  names: readonly string[],
): string {
  const cure = (id: string): string => `Set it with --model ${name}:${id}, or <config model="${name}:${id}"/>.`
  if (answer === undefined)
    return `${why[0]!.toUpperCase()}${why.slice(1)}, so ${addresses.join(' or ')} must be set. ${cure('NAME')}`
  // The page shows this message too, and it doesn't show addresses.
  const at = `Because ${why}, Argot asked its server for its models`
  if (answer.problem !== undefined) return `${at}: ${answer.problem}. Start it, or correct the address. ${cure('NAME')}`
  if (names.length === 0) return `${at}: there are none. ${cure('NAME')}`
  const firstNames = names.slice(0, MOST_NAMES).map(id => quote(id).slice(1, -1))
  const more = names.length > firstNames.length ? `, and ${names.length - firstNames.length} more` : ''
  return `${at}: ${firstNames.join(', ')}${more}. ${cure(firstNames[0]!)}`
}

async function createModel(provider: Provider, id: string, options: ChooseModelOptions): Promise<Model> {
  const name = `${provider.name}:${id}`
  const { fetch, onBytes } = watchBytes(options.fetch)
  const model = await provider.createModel(id, { ...readSetup(provider, name, options), fetch })
  return { name, ...model, language: requireFinish(model.language), onBytes }
}

function readSetup(provider: Provider, name: string, { env }: ChooseModelOptions): ProviderSetup {
  const keyVariable = findVariable(provider.keys, env)
  const key = keyVariable && env[keyVariable]?.trim()
  if (!key && provider.needsKey) throw missingKey(provider, name, env)
  if (key && !/^[!-~]+$/.test(key)) {
    throw new ArgotError(
      'MODEL_MISSING_KEY',
      `${keyVariable} is not a valid key: it contains a space, a line break or a non-ASCII character. Set it again.`,
    )
  }
  const variable = findVariable(provider.addresses, env)
  const address = variable && { text: env[variable]!.trim(), variable }
  return defined({ key: key || undefined, address: address || undefined })
}

function missingKey(provider: Provider, name: string, env: ChooseModelOptions['env']): ArgotError {
  const id = name.slice(provider.name.length + 1)
  const other = env.ARGOT_BASE_URL?.trim() ? ` For the server at ARGOT_BASE_URL, use openai-compatible:${id}.` : ''
  const [builtinName] = nearestNames(id, builtinModels.keys(), 1, maxDistance)
  const hint = builtinName === undefined ? '' : `Did you mean ${builtinName}? `
  return new ArgotError(
    'MODEL_MISSING_KEY',
    `${hint}${name} needs a key. Set ${provider.keys.join(' or ')} to your ${provider.title} key, or store it with: argot keys set ${provider.name}.${other} The demo model works without a key: --model demo.`,
  )
}

function findVariable(names: readonly string[], env: ChooseModelOptions['env']): string | undefined {
  return names.find(name => env[name]?.trim())
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}
