import { dirname, join, resolve } from 'node:path'
import { defined } from '@argot/core/stream/internal'
import { toRealPath } from '../files/local-file.ts'
import type { Price } from '../words/price.ts'
import type { Sourced } from '../words/sourced.ts'
import { checkSettings } from './check-settings.ts'
import { findConfigFolder } from './config-folder.ts'
import { isPresent, readJsonFile } from './json-file.ts'
import { type FileSettings, SETTINGS_FILE, type Settings } from './settings.ts'

/** More than anyone writes. A larger file isn't a settings file. */
const MOST_BYTES = 64 * 1024

export interface LoadSettingsOptions {
  directory: string
  /** The user's config folder; found through `env` if left out. */
  configFolder?: string
  env?: Readonly<Record<string, string | undefined>>
}

/**
 * Reads the settings of the project (`argot.config.json` in the document's folder or the nearest parent that has one)
 * and of the user (the same file in the config folder). The project's settings take precedence, with three exceptions:
 * approvals, retention (the longer wins), and titles (a project can't turn `model` on). Throws an `ArgotError` that
 * names the file if one of them is wrong.
 */
export async function loadSettings(options: LoadSettingsOptions): Promise<Settings> {
  const configFolder = resolve(options.configFolder ?? findConfigFolder({ env: options.env }))
  const projectFile = await findProjectFile(
    await toRealPath(resolve(options.directory)),
    await toRealPath(configFolder),
  )
  const userFile = join(configFolder, SETTINGS_FILE)
  const project = projectFile === undefined ? undefined : await readSettings(projectFile)
  const user = (await isPresent(userFile)) ? await readSettings(userFile) : undefined

  const settings: Settings = { approve: {} }
  const toolSyntax = project?.toolSyntax ?? user?.toolSyntax
  const model = project?.model ?? user?.model
  const maxSteps = project?.maxSteps ?? user?.maxSteps
  if (toolSyntax !== undefined) settings.toolSyntax = toolSyntax
  if (model !== undefined) settings.model = model
  if (maxSteps !== undefined) settings.maxSteps = maxSteps
  const limit = project?.limit ?? user?.limit
  if (limit !== undefined) settings.limit = limit
  const toolSearch = project?.toolSearch ?? user?.toolSearch
  if (toolSearch !== undefined) settings.toolSearch = toolSearch
  const [first, second] = [project?.retention, user?.retention]
  const retention =
    first !== undefined && second !== undefined && second.value > first.value ? second : (first ?? second)
  if (retention !== undefined) settings.retention = retention
  const prices = joinMaps<Price>(user?.prices, project?.prices)
  if (prices.size > 0) settings.prices = prices
  const compact = project?.compact ?? user?.compact
  if (compact !== undefined) settings.compact = compact
  const summaryModel = project?.summaryModel ?? user?.summaryModel
  if (summaryModel !== undefined) settings.summaryModel = summaryModel
  // A stranger's folder must not cause calls to the user's model.
  const titles = project?.titles?.value === 'first-message' ? project.titles : user?.titles
  if (titles !== undefined) settings.titles = titles
  const context = joinMaps<number>(user?.context, project?.context)
  if (context.size > 0) settings.context = context
  if (project?.approve !== undefined) settings.approve.project = project.approve
  if (user?.approve !== undefined) settings.approve.user = user.approve
  const rules = defined({ project: project?.rules, user: user?.rules })
  if (Object.keys(rules).length > 0) settings.rules = rules
  return settings
}

/** Later maps take precedence. */
function joinMaps<T>(...maps: readonly (Sourced<ReadonlyMap<string, T>> | undefined)[]): Map<string, Sourced<T>> {
  const all = new Map<string, Sourced<T>>()
  for (const one of maps) for (const [name, value] of one?.value ?? []) all.set(name, { value, from: one!.from })
  return all
}

/** The user's own file is never a project's, even for documents beside it. */
async function findProjectFile(directory: string, configFolder: string): Promise<string | undefined> {
  for (let folder = directory; ; folder = dirname(folder)) {
    const file = join(folder, SETTINGS_FILE)
    if (folder !== configFolder && (await isPresent(file))) return file
    if (dirname(folder) === folder) return undefined
  }
}

type SourcedSettings = { [Key in keyof FileSettings]: Sourced<NonNullable<FileSettings[Key]>> }

async function readSettings(file: string): Promise<SourcedSettings> {
  const settings = checkSettings(await readJsonFile(file, MOST_BYTES), file)
  const entries = Object.entries(settings).map(([key, value]) => [key, { value, from: file }])
  return Object.fromEntries(entries) as SourcedSettings
}
