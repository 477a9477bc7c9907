import { nearestNames } from '@argot/core/stream/internal'
import type { ApprovalPolicy } from '../approval/approval.ts'
import { namedTools } from '../approval/stricter-policy.ts'
import { quoted } from '../words/quoted.ts'

/** One sentence for each name that is almost a tool's. Other names may be those of an agent's tools. */
export function describeUnknownApproved(policy: ApprovalPolicy | undefined, tools: Iterable<string>): string[] {
  const names = new Set(tools)
  return namedTools(policy ?? {}).flatMap(name => {
    const [nearest] = names.has(name) ? [] : nearestNames(name, names, 1)
    if (nearest === undefined) return []
    return [`\`--approve\` names ${quoted(name)}, but there is no such tool. Did you mean ${quoted(nearest)}?`]
  })
}
