import type { ToolEffect } from '@argot/core/stream'
import type { ApprovalMode, ApprovalPolicy } from './approval.ts'

/** Every mode, the strictest first: each one runs, asks or refuses no less strictly than the next, whatever the tool. */
export const approvalModes: readonly ApprovalMode[] = ['none', 'readonly', 'ask', 'all']

export function isApprovalMode(value: unknown): value is ApprovalMode {
  return (approvalModes as readonly unknown[]).includes(value)
}

/**
 * The mode that a policy has for a tool; `ask` where it says nothing. Only own keys count. `default` is never the name of
 * a tool in a policy: a tool that is called so has the mode of the tools that are not named.
 */
export function getMode(policy: ApprovalPolicy, tool: string): ApprovalMode {
  return ownMode(policy, tool) ?? ownMode(policy, 'default') ?? 'ask'
}

/** The mode that the policy gives to exactly this key, and to every key if it is one mode for all tools. */
export function ownMode(policy: ApprovalPolicy, key: string): ApprovalMode | undefined {
  if (typeof policy === 'string') return policy
  return Object.hasOwn(policy, key) ? policy[key] : undefined
}

/** A call's tool, and whether the call is written inside the model's reasoning. */
interface DecidedCall {
  name: string
  effect: ToolEffect
  inReasoning?: boolean | undefined
}

/** What the policy says about a call. A mode that does not exist refuses. */
export function decide(policy: ApprovalPolicy, call: DecidedCall): 'run' | 'ask' | 'refuse' {
  const mode = getMode(policy, call.name)
  const reads = call.effect === 'read'
  const runsUnasked = mode === 'readonly' || (mode === 'ask' && call.inReasoning !== true)
  if (mode === 'all' || (reads && runsUnasked)) return 'run'
  return mode === 'ask' ? 'ask' : 'refuse'
}
