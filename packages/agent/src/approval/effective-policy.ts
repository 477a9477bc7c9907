import { quoted } from '../words/quoted.ts'
import type { Sourced } from '../words/sourced.ts'
import type { ApprovalMode, ApprovalPolicy } from './approval.ts'
import { getMode, ownMode } from './decide.ts'
import { combine, namedTools, stricter } from './stricter-policy.ts'

/** A notice names this many tools and counts the others. */
const NAMED_IN_NOTICE = 8

export interface PolicySources {
  flag?: ApprovalPolicy | undefined
  /** From the user's settings file, for tools that the flag doesn't mention. */
  user?: Sourced<ApprovalPolicy> | undefined
  /** From the project's settings file. It can only make the policy stricter. */
  project?: Sourced<ApprovalPolicy> | undefined
  /** Defaults to `ask`. */
  default?: ApprovalMode
}

/** A run's policy, and a sentence for the user if the project allows less than the flag does. */
export function effectivePolicy(sources: PolicySources): { policy: ApprovalPolicy; notice?: string } {
  const { flag = {}, user, project, default: rest = 'ask' } = sources
  const ownPolicy = overlay(flag, overlay(user?.value ?? {}, rest))
  if (project === undefined) return { policy: ownPolicy }
  // A project without a default doesn't make other tools stricter.
  const policy = stricter(ownPolicy, overlay(project.value, 'all'))
  const notice = sources.flag === undefined ? undefined : describeStricter(ownPolicy, policy, project.from)
  return notice === undefined ? { policy } : { policy, notice }
}

/** The first policy, with the second one for tools that the first doesn't mention. */
function overlay(first: ApprovalPolicy, second: ApprovalPolicy): ApprovalPolicy {
  return combine(first, second, tool => ownMode(first, tool) ?? ownMode(first, 'default') ?? getMode(second, tool))
}

function describeStricter(requested: ApprovalPolicy, policy: ApprovalPolicy, file: string): string | undefined {
  const allTools = namedTools(requested, policy)
  const tools = allTools.filter(tool => getMode(requested, tool) !== getMode(policy, tool))
  const changes = tools
    .slice(0, NAMED_IN_NOTICE)
    .map(tool => `${quoted(tool)} is \`${getMode(policy, tool)}\` instead of \`${getMode(requested, tool)}\``)
  if (tools.length > NAMED_IN_NOTICE) changes.push(`${tools.length - NAMED_IN_NOTICE} more tools are stricter`)
  const rest = getMode(policy, 'default')
  const before = getMode(requested, 'default')
  const others = allTools.length === 0 ? 'every tool' : 'every tool not named here'
  if (rest !== before) changes.unshift(`${others} is \`${rest}\` instead of \`${before}\``)
  if (changes.length === 0) return undefined
  return `${quoted(file)} allows less than \`--approve\`, and a project's settings can only make approvals stricter: ${changes.join(', ')}.`
}
