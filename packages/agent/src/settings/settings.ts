import type { CallLimit } from '@argot/core/syntax/internal'
import type { ApprovalPolicy } from '../approval/approval.ts'
import type { RuleTexts } from '../approval/rule.ts'
import type { Price } from '../words/price.ts'
import type { Sourced } from '../words/sourced.ts'

/** The name of a settings file, in a project and in the user's config folder. */
export const SETTINGS_FILE = 'argot.config.json'

export type TitleSource = 'first-message' | 'model'

/** The combined settings, each value with the file it came from. */
export interface Settings {
  toolSyntax?: Sourced<string>
  model?: Sourced<string>
  maxSteps?: Sourced<number>
  limit?: Sourced<CallLimit>
  toolSearch?: Sourced<boolean>
  /** How long a server keeps the trash and the logs of ended runs, in milliseconds. */
  retention?: Sourced<number>
  /** Model prices by name. If project and user both name a model, the project's price applies. */
  prices?: ReadonlyMap<string, Sourced<Price>>
  /** When older turns are summarized. */
  compact?: Sourced<'auto' | 'never' | number>
  summaryModel?: Sourced<string>
  /** Where conversation titles come from. A project can't turn `model` on. */
  titles?: Sourced<TitleSource>
  /** The windows of models in tokens, by name. */
  context?: ReadonlyMap<string, Sourced<number>>
  /** Kept apart, because a project can only make the user's policy stricter. */
  approve: {
    project?: Sourced<ApprovalPolicy>
    user?: Sourced<ApprovalPolicy>
  }
  /** Rules by argument. Also kept apart, because a project's rules can only ask and deny. */
  rules?: {
    project?: Sourced<RuleTexts>
    user?: Sourced<RuleTexts>
  }
}

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
