import type { Expanded } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import type { Model } from '../model/model.ts'
import { resolveModelName } from '../settings/resolve-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { type RecordingPlace, recordingFolders } from './confine-recording.ts'
import { toModel } from './model-and-limit.ts'
import type { RunOptions } from './run-options.ts'

/** Who may name the model of a document. */
export interface ModelNames {
  /** What the user gives for the run. */
  given: RunOptions['model']
  config: Pick<NonNullable<Expanded['config']>, 'model' | 'api'> | undefined
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

/**
 * The model of a document: the one that is given, else that of the document, of the environment, or of the settings. Unless
 * the user named it, `replay:FILE` reads only what the document may read.
 */
export async function chooseDocumentModel(names: ModelNames, place: RecordingPlace): Promise<Model> {
  const { given, config, env } = names
  const { name, isUsers } = findModelName(names)
  return toModel(typeof given === 'object' ? given : name, {
    env,
    directory: place.directory,
    ...defined({ api: config?.api, within: isUsers ? undefined : recordingFolders(place) }),
  })
}
