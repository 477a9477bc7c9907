import { nearestNames } from '@argot/core/stream/internal'
import type { ApprovalPolicy } from '../approval/approval.ts'
import { namedTools } from '../approval/stricter-policy.ts'
import { quoted } from '../words/quoted.ts'

/**
 * A sentence for each tool in the user's policy that the document doesn't have and that is spelled almost like one it
 * has. Other names may be those of an agent's tools.
 */
export function describeUnknownApproved(policy: ApprovalPolicy | undefined, tools: Iterable<string>): string[] {
  const names = new Set(tools)
  return namedTools(policy ?? {}).flatMap(name => {
    const [nearest] = names.has(name) ? [] : nearestNames(name, names, 1)
    if (nearest === undefined) return []
    return [`\`--approve\` names ${quoted(name)}, and there is no such tool. Did you mean ${quoted(nearest)}?`]
  })
}
