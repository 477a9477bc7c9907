import { dirname } from 'node:path'
import { parseChatMd } from '@argot/core/chatmd'
import { defined } from '@argot/core/stream/internal'
import type { ApprovalMode } from '../../approval/approval.ts'
import { effectivePolicy } from '../../approval/effective-policy.ts'
import { loadSettings } from '../../settings/load-settings.ts'
import type { RunOptions } from '../run-options.ts'
import { chooseTalk } from './choose-talk.ts'

export interface ChosenSettings {
  /** Empty if none is named. */
  model: string
  syntax: string
  approve: ApprovalMode
  /** Why the model can't be used at the moment. */
  problem?: string
}

/**
 * The talk that a run of this document would plan, based on its own `<config>` only: its references aren't read. Throws
 * if a setting or a syntax is wrong.
 */
export async function documentSettings(
  { file, text }: { file: string; text: string },
  options: RunOptions,
): Promise<ChosenSettings> {
  const { config } = parseChatMd(text, { file }).document
  const { env = process.env, configFolder, model: userModel } = options
  const directory = dirname(file)
  const settings = await loadSettings({ directory, env, ...defined({ configFolder }) })
  const { policy } = effectivePolicy({ flag: options.approve, ...settings.approve })
  const place = { config, settings, answer: undefined, directory, remote: false }
  const { talk, problem } = await chooseTalk(place, options)
  return {
    model: typeof userModel === 'object' && 'modelId' in userModel ? userModel.modelId : talk.model.name,
    syntax: talk.syntax.name,
    approve: typeof policy === 'string' ? policy : (policy.default ?? 'ask'),
    ...defined({ problem: problem?.message }),
  }
}
