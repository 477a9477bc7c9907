import type { ApprovalMode, ApprovalPolicy } from './approval.ts'
import { approvalModes, getMode } from './decide.ts'

export function stricter(a: ApprovalPolicy, b: ApprovalPolicy): ApprovalPolicy {
  return combine(a, b, tool => stricterMode(getMode(a, tool), getMode(b, tool)))
}

/** An unknown mode is the strictest. */
export function stricterMode(a: ApprovalMode, b: ApprovalMode): ApprovalMode {
  return approvalModes.indexOf(a) <= approvalModes.indexOf(b) ? a : b
}

/** A policy for every tool that either policy names, and for the others. A single mode if that says the same. */
export function combine(a: ApprovalPolicy, b: ApprovalPolicy, choose: (tool: string) => ApprovalMode): ApprovalPolicy {
  const rest = choose('default')
  const policy = Object.create(null) as Record<string, ApprovalMode>
  for (const tool of namedTools(a, b)) {
    const mode = choose(tool)
    if (mode !== rest) policy[tool] = mode
  }
  if (Object.keys(policy).length === 0) return rest
  policy.default = rest
  return policy
}

export function namedTools(...policies: readonly ApprovalPolicy[]): string[] {
  const keys = policies.flatMap(policy => (typeof policy === 'string' ? [] : Object.keys(policy)))
  return [...new Set(keys)].filter(key => key !== 'default')
}
