import type { DefaultExpanded } from '../types/index.ts'
import type { ToolOwnerState } from '../types/tool-presentation.ts'

/**
 * Whether a disclosure is open after a transition to `owner`; `open` is its state before. The policy decides, or else
 * the built-in behaviour. A card opens while its input streams or an approval is needed. Its output is open. Its input
 * opens while there is no output to see, so that an old call opens at its output. Nothing closes by itself.
 */
export function expandedAfter(open: boolean, owner: ToolOwnerState, policy: DefaultExpanded | undefined): boolean {
  return askPolicy(owner, policy) ?? (open || opens(owner))
}

/** How a disclosure begins before any transition: only the output is open. */
export function expandedAtFirst(section: ToolOwnerState['section']): boolean {
  return section === 'output'
}

function opens({ state, section }: ToolOwnerState): boolean {
  if (section === 'input') return state !== 'output-available' && state !== 'output-error'
  return state === 'input-streaming' || state === 'approval-requested'
}

/**
 * The policy's answer. If there is an entry under the exact name, only that entry applies, whatever it answers. A
 * resolver that throws has no answer.
 */
function askPolicy(owner: ToolOwnerState, policy: DefaultExpanded | undefined): boolean | undefined {
  if (policy === undefined) return undefined
  const key = Object.hasOwn(policy, owner.toolName) ? owner.toolName : '*'
  const entry = Object.hasOwn(policy, key) ? policy[key] : undefined
  const answer: unknown = typeof entry === 'function' ? attempt(() => entry(owner)) : entry
  return typeof answer === 'boolean' ? answer : undefined
}

function attempt(ask: () => unknown): unknown {
  try {
    return ask()
  } catch {
    return undefined
  }
}
