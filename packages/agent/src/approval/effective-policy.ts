import { quoted } from '../words/quoted.ts'
import type { Sourced } from '../words/sourced.ts'
import type { ApprovalMode, ApprovalPolicy } from './approval.ts'
import { getMode, ownMode } from './decide.ts'
import { combine, namedTools, stricter } from './stricter-policy.ts'

/** More tools than this are counted in a notice instead of named. */
const NAMED_IN_NOTICE = 8

export interface PolicySources {
  /** What the command line or the program says. */
  flag?: ApprovalPolicy | undefined
  /** What the user's settings file says, for tools that the flag says nothing about. */
  user?: Sourced<ApprovalPolicy> | undefined
  /** What the project's settings file says. It can only make the policy stricter. */
  project?: Sourced<ApprovalPolicy> | undefined
  /** For tools that nobody says anything about; `ask`. */
  default?: ApprovalMode
}

/** The policy of a run, and a sentence for the user when the project allows less than the flag does. */
export function effectivePolicy(sources: PolicySources): { policy: ApprovalPolicy; notice?: string } {
  const { flag = {}, user, project, default: rest = 'ask' } = sources
  const ownPolicy = overlay(flag, overlay(user?.value ?? {}, rest))
  if (project === undefined) return { policy: ownPolicy }
  // A project that says nothing about other tools does not make them stricter.
  const policy = stricter(ownPolicy, overlay(project.value, 'all'))
  const notice = sources.flag === undefined ? undefined : describeStricter(ownPolicy, policy, project.from)
  return notice === undefined ? { policy } : { policy, notice }
}

/** The first policy, and the second one where the first says nothing. */
function overlay(first: ApprovalPolicy, second: ApprovalPolicy): ApprovalPolicy {
  return combine(first, second, tool => ownMode(first, tool) ?? ownMode(first, 'default') ?? getMode(second, tool))
}

function describeStricter(given: ApprovalPolicy, policy: ApprovalPolicy, file: string): string | undefined {
  const named = namedTools(given, policy)
  const tools = named.filter(tool => getMode(given, tool) !== getMode(policy, tool))
  const changes = tools
    .slice(0, NAMED_IN_NOTICE)
    .map(tool => `${quoted(tool)} is \`${getMode(policy, tool)}\` instead of \`${getMode(given, tool)}\``)
  if (tools.length > NAMED_IN_NOTICE) changes.push(`${tools.length - NAMED_IN_NOTICE} more tools are stricter`)
  const rest = getMode(policy, 'default')
  const before = getMode(given, 'default')
  const others = named.length === 0 ? 'every tool' : 'every tool that is not named'
  if (rest !== before) changes.unshift(`${others} is \`${rest}\` instead of \`${before}\``)
  if (changes.length === 0) return undefined
  return `${quoted(file)} allows less than \`--approve\`, and a project's settings can only make approvals stricter: ${changes.join(', ')}.`
}
