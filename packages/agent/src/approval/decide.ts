import type { ToolEffect } from '@argot/core/stream'
import type { ApprovalMode, ApprovalPolicy } from './approval.ts'

/** Every mode, strictest first. Whatever the tool, each mode is at least as strict as the next. */
export const approvalModes: readonly ApprovalMode[] = ['none', 'readonly', 'ask', 'all']

export function isApprovalMode(value: unknown): value is ApprovalMode {
  return (approvalModes as readonly unknown[]).includes(value)
}

/**
 * The policy's mode for a tool, `ask` if it has none. Only own keys apply. `default` never names a tool in a policy: a
 * tool with that name gets the mode of unnamed tools.
 */
export function getMode(policy: ApprovalPolicy, tool: string): ApprovalMode {
  return ownMode(policy, tool) ?? ownMode(policy, 'default') ?? 'ask'
}

/** The mode that the policy sets for exactly this key. A policy that is one mode sets it for every key. */
export function ownMode(policy: ApprovalPolicy, key: string): ApprovalMode | undefined {
  if (typeof policy === 'string') return policy
  return Object.hasOwn(policy, key) ? policy[key] : undefined
}

interface DecidedCall {
  name: string
  effect: ToolEffect
  inReasoning?: boolean | undefined
}

/** The policy's decision about a call. An unknown mode refuses. */
export function decide(policy: ApprovalPolicy, call: DecidedCall): 'run' | 'ask' | 'refuse' {
  const mode = getMode(policy, call.name)
  const reads = call.effect === 'read'
  const runsUnasked = mode === 'readonly' || (mode === 'ask' && call.inReasoning !== true)
  if (mode === 'all' || (reads && runsUnasked)) return 'run'
  return mode === 'ask' ? 'ask' : 'refuse'
}
