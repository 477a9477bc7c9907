import type { DefaultExpanded, ToolOwnerState } from '../types/index.ts'

/**
 * Whether a disclosure is open after a transition to `owner`, where it was `open` before: what the policy says, else the
 * built-in behaviour: a card opens while its input streams or an approval is wanted, its sections are open, and nothing
 * closes by itself.
 */
export function expandedAfter(open: boolean, owner: ToolOwnerState, policy: DefaultExpanded | undefined): boolean {
  return asked(owner, policy) ?? (open || owner.state === 'input-streaming' || owner.state === 'approval-requested')
}

/** How a disclosure begins before any transition: cards closed, sections open. */
export function expandedAtFirst(section: ToolOwnerState['section']): boolean {
  return section !== undefined
}

/** What the policy says; an entry under the exact name is the only one that is asked, whatever it answers. */
function asked(owner: ToolOwnerState, policy: DefaultExpanded | undefined): boolean | undefined {
  if (policy === undefined) return undefined
  const key = Object.hasOwn(policy, owner.toolName) ? owner.toolName : '*'
  const entry = Object.hasOwn(policy, key) ? policy[key] : undefined
  const answer: unknown = typeof entry === 'function' ? entry(owner) : entry
  return typeof answer === 'boolean' ? answer : undefined
}
