import type { CallLimit } from '@argot/core/syntax/internal'
import type { ApprovalPolicy } from '../approval/approval.ts'
import type { RuleTexts } from '../approval/rule.ts'
import type { Price } from '../words/price.ts'
import type { Sourced } from '../words/sourced.ts'

/** The name of a settings file, in a project and in the user's config folder. */
export const SETTINGS_FILE = 'argot.config.json'

export type TitleSource = 'first-message' | 'model'

/** What the settings files say, each value with the file it came from. */
export interface Settings {
  toolSyntax?: Sourced<string>
  model?: Sourced<string>
  maxSteps?: Sourced<number>
  limit?: Sourced<CallLimit>
  toolSearch?: Sourced<boolean>
  /** How long a server keeps what is in the trash and the logs of runs that ended, in milliseconds. */
  retention?: Sourced<number>
  /** What models cost, by name; where project and user name the same one, the project's. */
  prices?: ReadonlyMap<string, Sourced<Price>>
  /** When older turns are summarised. */
  compact?: Sourced<'auto' | 'never' | number>
  /** Writes the summaries. */
  summaryModel?: Sourced<string>
  /** Where titles of conversations come from. A project can't turn `model` on. */
  titles?: Sourced<TitleSource>
  /** How many tokens the windows of models hold, by name. */
  context?: ReadonlyMap<string, Sourced<number>>
  /** Kept apart, because a project can only make the user's policy stricter. */
  approve: {
    project?: Sourced<ApprovalPolicy>
    user?: Sourced<ApprovalPolicy>
  }
  /** Rules by argument, kept apart as well: those of a project can only ask and deny. */
  rules?: {
    project?: Sourced<RuleTexts>
    user?: Sourced<RuleTexts>
  }
}

/** What one settings file says. */
export interface FileSettings {
  toolSyntax?: string
  model?: string
  maxSteps?: number
  limit?: CallLimit
  toolSearch?: boolean
  retention?: number
  prices?: ReadonlyMap<string, Price>
  compact?: 'auto' | 'never' | number
  summaryModel?: string
  titles?: TitleSource
  context?: ReadonlyMap<string, number>
  approve?: ApprovalPolicy
  rules?: RuleTexts
}
