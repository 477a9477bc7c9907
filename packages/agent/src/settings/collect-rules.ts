import { parseRules, type Rule, type RuleTexts } from '../approval/rule.ts'
import { quoted } from '../words/quoted.ts'
import type { Settings } from './settings.ts'

export interface RuleSources {
  flag?: RuleTexts | undefined
  settings?: Settings['rules'] | undefined
}

/** `notice`: a project tries to allow something, but its rules can only ask and deny. Throws `SETTINGS_BAD_VALUE`. */
export function collectRules({ flag = {}, settings = {} }: RuleSources): { rules: Rule[]; notice?: string } {
  const { user, project } = settings
  const { allow = [], ...stricter } = project?.value ?? {}
  const rules = [
    ...parseRules(flag, kind => `\`--${kind}\``),
    ...parseRules(user?.value ?? {}, () => quoted(user?.from ?? '')),
    ...parseRules(stricter, () => quoted(project?.from ?? '')),
  ]
  if (project === undefined || allow.length === 0) return { rules }
  const notice = `\`allow\` in ${quoted(project.from)} is ignored: a project's settings can only ask and deny. Put your \`allow\` rules in your own settings, or use \`--allow\`.`
  return { rules, notice }
}
