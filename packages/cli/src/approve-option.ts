import type { ApprovalMode, ApprovalPolicy } from '@argot/agent'
import { InvalidArgumentError } from 'commander'

const modes: readonly ApprovalMode[] = ['ask', 'all', 'none', 'readonly']

/** Reads `ask`, or a mode per tool: `write_file=ask,rg=all,default=none`. */
export function parseApprove(text: string): ApprovalPolicy {
  if (isMode(text)) return text
  const policy = Object.create(null) as Record<string, ApprovalMode>
  for (const entry of text.split(',')) {
    const at = entry.lastIndexOf('=')
    const name = entry.slice(0, Math.max(0, at)).trim()
    const mode = entry.slice(at + 1).trim()
    if (name === '' || !isMode(mode)) {
      throw new InvalidArgumentError(
        `Use one of ${modes.join(', ')}, or a mode per tool such as write_file=ask,rg=all,default=none.`,
      )
    }
    policy[name] = mode
  }
  return policy
}

function isMode(text: string): text is ApprovalMode {
  return (modes as readonly string[]).includes(text)
}
