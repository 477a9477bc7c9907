import { ArgotError } from '@argot/core'
import { type ExpandedDocument, findAttribute } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import { checkModelName } from '../../model/choose-model.ts'
import { resolveMaxSteps, resolveSyntax } from '../../settings/resolve-settings.ts'
import type { Settings } from '../../settings/settings.ts'
import { confineRecording, type RecordingPlace } from '../confine-recording.ts'
import type { RunOptions } from '../run-options.ts'
import { findModelName } from './choose-talk.ts'
import type { RangeProblem } from './range-problem.ts'

export interface ConfigContext extends RecordingPlace {
  /** Options for the run override the document, whose values are then not checked. */
  overrides: Pick<RunOptions, 'model' | 'syntax' | 'maxSteps'>
  settings: Settings
  env: Readonly<Record<string, string | undefined>>
}

/** Each is at the attribute with the problem. Throws for problems in a flag, a variable or a settings file. */
export async function configProblems(
  { config, configFile }: Pick<ExpandedDocument, 'config' | 'configFile'>,
  { overrides, settings, env, ...place }: ConfigContext,
): Promise<RangeProblem[]> {
  const problems: RangeProblem[] = []
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
  const { name: modelName, isFromUser } = findModelName({ userModel: overrides.model, config, settings, env })
  if (modelName !== undefined && typeof overrides.model !== 'object' && isKnownApi) {
    const isFromDocument = overrides.model === undefined && config?.model !== undefined
    await check(isFromDocument ? ['model'] : [], () => checkModelName(modelName, { ...api, env }))
    if (!isFromUser) await check(isFromDocument ? ['model'] : [], () => confineRecording(modelName, place))
  }
  const syntax = { flag: overrides.syntax, document: config?.toolSyntax, env, settings, nativeTools: true }
  await check(overrides.syntax === undefined ? ['tool_syntax'] : [], () => resolveSyntax(syntax))
  const steps = { flag: overrides.maxSteps, document: config?.maxSteps, settings }
  await check(overrides.maxSteps === undefined ? ['max_steps'] : [], () => resolveMaxSteps(steps))
  return problems
}
