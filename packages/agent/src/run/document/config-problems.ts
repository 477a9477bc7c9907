import { ArgotError } from '@argot/core'
import { type ExpandedDocument, findAttribute } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import { checkModelName } from '../../model/choose-model.ts'
import { resolveMaxSteps, resolveSyntax } from '../../settings/resolve-settings.ts'
import type { Settings } from '../../settings/settings.ts'
import { confineRecording, type RecordingPlace } from '../confine-recording.ts'
import type { RunOptions } from '../run-options.ts'
import { findModelName } from './choose-talk.ts'
import type { Found } from './place-of.ts'

export interface ConfigContext extends RecordingPlace {
  /** What is given for the run beats what the document says, which is then not asked about. */
  given: Pick<RunOptions, 'model' | 'syntax' | 'maxSteps'>
  settings: Settings
  env: Readonly<Record<string, string | undefined>>
}

/**
 * What is wrong with the `<config>` of a document on any machine, at the attribute that says it. Throws for what a flag, a
 * variable or a settings file says.
 */
export async function configProblems(
  { config, configFile }: Pick<ExpandedDocument, 'config' | 'configFile'>,
  { given, settings, env, ...place }: ConfigContext,
): Promise<Found[]> {
  const problems: Found[] = []
  const check = async (names: readonly string[], test: () => unknown): Promise<void> => {
    try {
      await test()
    } catch (error) {
      const attributes = config?.node.attributes ?? []
      const attribute = names.map(name => findAttribute(attributes, name)).find(one => one !== undefined)
      if (!(error instanceof ArgotError) || attribute === undefined) throw error
      const { code, message } = error
      const at = { start: attribute.start, end: attribute.end }
      problems.push({ code, severity: 'error', message, cure: `Correct \`${attribute.name}\`.`, file: configFile, at })
    }
  }
  const api = defined({ api: config?.api })
  await check(['api'], () => checkModelName(undefined, { ...api, env }))
  const isKnownApi = problems.length === 0
  const { name: named, isUsers } = findModelName({ given: given.model, config, settings, env })
  if (named !== undefined && typeof given.model !== 'object' && isKnownApi) {
    const isDocuments = given.model === undefined && config?.model !== undefined
    await check(isDocuments ? ['model'] : [], () => checkModelName(named, { ...api, env }))
    if (!isUsers) await check(isDocuments ? ['model'] : [], () => confineRecording(named, place))
  }
  const syntax = { flag: given.syntax, document: config?.toolSyntax, env, settings, nativeTools: true }
  await check(given.syntax === undefined ? ['tool_syntax'] : [], () => resolveSyntax(syntax))
  const steps = { flag: given.maxSteps, document: config?.maxSteps, settings }
  await check(given.maxSteps === undefined ? ['max_steps'] : [], () => resolveMaxSteps(steps))
  return problems
}
