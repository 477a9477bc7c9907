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

type Config = ExpandedDocument['config']

/** Who may name the model of a document. */
interface ModelNames {
  /** What the user gives for the run. */
  given: RunOptions['model']
  config: Pick<NonNullable<Config>, 'model' | 'api'> | undefined
  settings: Pick<Settings, 'model'>
  env: Readonly<Record<string, string | undefined>>
}

/** The name of the model, and whether the user gave it: a document and a project are not believed as far. */
export function findModelName({ given, config, settings, env }: ModelNames): { name?: string; isUsers: boolean } {
  const flag = typeof given === 'string' ? given : undefined
  const name = resolveModelName({ flag, document: config?.model, env, settings })?.value
  const isUsers = given !== undefined || (config?.model === undefined && Boolean(env.ARGOT_MODEL))
  return { isUsers, ...defined({ name }) }
}

/** What a document says about the talk with its model, and where it is. */
export interface TalkPlace {
  config: Config
  settings: Settings
  answer: AnswerFormat | undefined
  /** The folder of the document. */
  directory: string
  remote: boolean
}

/** A talk, and why it cannot take place: then its model is one that is not there, and has the name of the one that was meant. */
export interface ChosenTalk {
  talk: Talk
  problem: ArgotError | undefined
}

/**
 * The talk of a document: model, syntax and limit are those of the options, else of the document, of the environment, or of
 * the settings. The one place that a run, a preview and the settings of a server ask. Throws where the syntax is unknown.
 */
export async function chooseTalk(
  { config, settings, answer, ...where }: TalkPlace,
  options: PlanOptions & Pick<RunOptions, 'model' | 'summaryModel' | 'syntax' | 'env' | 'cwd' | 'allowPaths'>,
): Promise<ChosenTalk> {
  const { model: given, syntax: flag, env = process.env, cwd = process.cwd(), allowPaths = [] } = options
  const names = { given, config, settings, env }
  let problem: ArgotError | undefined
  const note = (error: unknown): void => {
    if (!(error instanceof ArgotError)) throw error
    problem = error
  }
  const place = { ...where, cwd, allowPaths }
  const model = await chooseModel(names, place).catch((error: unknown) => {
    note(error)
    return absentModel(findModelName(names).name ?? '')
  })
  const summariser = await chooseSummariser(options.summaryModel, { settings, env }, place).catch(note)
  const { nativeTools } = model
  const { syntax } = resolveSyntax({ flag, document: config?.toolSyntax, env, settings, nativeTools })
  const { maxTokens, temperature, reasoningEffort } = config ?? {}
  const chosen = {
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
  return { talk: planTalk(chosen, { ...options, limit, price, toolSearch, compact, context }), problem }
}

/** Unless the user named the model, `replay:FILE` reads only what the document may read. */
async function chooseModel(names: ModelNames, place: RecordingPlace): Promise<Model> {
  const { given, config, env } = names
  const { name, isUsers } = findModelName(names)
  return toModel(typeof given === 'object' ? given : name, {
    env,
    directory: place.directory,
    ...defined({ api: config?.api, within: isUsers ? undefined : recordingFolders(place) }),
  })
}

/** Another model that writes summaries, if the user or the settings name one. */
async function chooseSummariser(
  given: RunOptions['summaryModel'],
  { settings, env }: Pick<ModelNames, 'env'> & { settings: Settings },
  place: RecordingPlace,
): Promise<Summariser | undefined> {
  const modelName = given ?? settings.summaryModel?.value
  if (modelName === undefined) return undefined
  const within = given === undefined ? recordingFolders(place) : undefined
  const model = await toModel(modelName, { env, directory: place.directory, ...defined({ within }) })
  return { model, price: resolvePrice(undefined, settings, model.name) }
}

/** A model that cannot be reached from here, by its name: what it would see does not depend on its key. */
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
