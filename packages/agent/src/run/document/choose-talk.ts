import type { LanguageModelV3 } from '@ai-sdk/provider'
import { ArgotError } from '@argot/core'
import type { ExpandedDocument } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import { callLimits } from '@argot/core/syntax/internal'
import type { AnswerFormat } from '../../loop/answer/answer-format.ts'
import type { Summariser } from '../../loop/compact/summariser.ts'
import { type PlanOptions, planTalk, type Talk } from '../../loop/plan.ts'
import type { Model } from '../../model/model.ts'
import { resolveContext, resolveModelName, resolvePrice, resolveSyntax } from '../../settings/resolve-settings.ts'
import type { Settings } from '../../settings/settings.ts'
import { type RecordingPlace, recordingFolders } from '../confine-recording.ts'
import type { RunOptions } from '../run-options.ts'
import { toModel } from '../to-model.ts'

type ExpandedConfig = ExpandedDocument['config']

interface ModelNameSources {
  userModel: RunOptions['model']
  config: Pick<NonNullable<ExpandedConfig>, 'model' | 'api'> | undefined
  settings: Pick<Settings, 'model'>
  env: Readonly<Record<string, string | undefined>>
}

/** The model's name, and whether the user gave it: documents and projects are trusted less. */
export function findModelName({ userModel, config, settings, env }: ModelNameSources): {
  name?: string
  isFromUser: boolean
} {
  const flag = typeof userModel === 'string' ? userModel : undefined
  const name = resolveModelName({ flag, document: config?.model, env, settings })?.value
  const isFromUser = userModel !== undefined || (config?.model === undefined && Boolean(env.ARGOT_MODEL))
  return { isFromUser, ...defined({ name }) }
}

export interface TalkPlace {
  config: ExpandedConfig
  settings: Settings
  answer: AnswerFormat | undefined
  directory: string
  remote: boolean
}

/** A talk, and why it can't take place. In that case, its model is a stand-in with the intended name. */
export interface DocumentTalk {
  talk: Talk
  problem: ArgotError | undefined
}

/**
 * A document's talk. Model, syntax and limit come from the options, else from the document, the environment, or the
 * settings. Runs, previews and server settings all use this function. Throws if the syntax is unknown.
 */
export async function chooseTalk(
  { config, settings, answer, ...location }: TalkPlace,
  options: PlanOptions & Pick<RunOptions, 'model' | 'summaryModel' | 'syntax' | 'env' | 'cwd' | 'allowPaths'>,
): Promise<DocumentTalk> {
  const { model: userModel, syntax: flag, env = process.env, cwd = process.cwd(), allowPaths = [] } = options
  const names = { userModel, config, settings, env }
  let problem: ArgotError | undefined
  const note = (error: unknown): void => {
    if (!(error instanceof ArgotError)) throw error
    problem = error
  }
  const place = { ...location, cwd, allowPaths }
  const model = await chooseModel(names, place).catch((error: unknown) => {
    note(error)
    return absentModel(findModelName(names).name ?? '')
  })
  const summariser = await chooseSummariser(options.summaryModel, { settings, env }, place).catch(note)
  const { nativeTools } = model
  const { syntax } = resolveSyntax({ flag, document: config?.toolSyntax, env, settings, nativeTools })
  const { maxTokens, temperature, reasoningEffort } = config ?? {}
  const choice = {
    model,
    syntax,
    settings: defined({ maxTokens, temperature, reasoningEffort }),
    answer,
    summariser: summariser ?? undefined,
  }
  const limit = options.limit ?? callLimits.find(one => one === config?.limit) ?? settings.limit?.value
  const price = resolvePrice(options.price, settings, model.name)
  const toolSearch = options.toolSearch ?? settings.toolSearch?.value
  const compact = options.compact ?? config?.compact ?? settings.compact?.value
  const context = options.context ?? config?.context ?? resolveContext(settings, model.name)
  return { talk: planTalk(choice, { ...options, limit, price, toolSearch, compact, context }), problem }
}

/** Unless the user named the model, `replay:FILE` reads only what the document may read. */
async function chooseModel(names: ModelNameSources, place: RecordingPlace): Promise<Model> {
  const { userModel, config, env } = names
  const { name, isFromUser } = findModelName(names)
  return toModel(typeof userModel === 'object' ? userModel : name, {
    env,
    directory: place.directory,
    ...defined({ api: config?.api, within: isFromUser ? undefined : recordingFolders(place) }),
  })
}

async function chooseSummariser(
  userModel: RunOptions['summaryModel'],
  { settings, env }: Pick<ModelNameSources, 'env'> & { settings: Settings },
  place: RecordingPlace,
): Promise<Summariser | undefined> {
  const modelName = userModel ?? settings.summaryModel?.value
  if (modelName === undefined) return undefined
  const within = userModel === undefined ? recordingFolders(place) : undefined
  const model = await toModel(modelName, { env, directory: place.directory, ...defined({ within }) })
  return { model, price: resolvePrice(undefined, settings, model.name) }
}

/** A stand-in for a model that can't be reached from here. What it would see doesn't depend on its key. */
export function absentModel(name: string): Model {
  const language: LanguageModelV3 = {
    specificationVersion: 'v3',
    provider: 'absent',
    modelId: name,
    supportedUrls: { '*/*': [/.*/] },
    doGenerate: () => Promise.reject(new Error(`${name} is not available.`)),
    doStream: () => Promise.reject(new Error(`${name} is not available.`)),
  }
  return { name, language, nativeTools: true, settings: () => ({}) }
}
