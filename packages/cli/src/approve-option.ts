import type { ApprovalMode, ApprovalPolicy } from '@argot/agent'
import { InvalidArgumentError } from 'commander'

const modes: readonly ApprovalMode[] = ['ask', 'all', 'none', 'readonly']

/** Reads a mode, or a list of modes per tool such as `ask,write_file=all,rg=none`; a bare mode is for all others. */
export function parseApprove(text: string): ApprovalPolicy {
  if (isMode(text)) return text
  const policy = Object.create(null) as Record<string, ApprovalMode>
  for (const entry of text.split(',')) {
    const at = entry.lastIndexOf('=')
    const name = at < 0 ? 'default' : entry.slice(0, at).trim()
    const mode = entry.slice(at + 1).trim()
    if (name === '' || !isMode(mode) || Object.hasOwn(policy, name)) {
      const cure = `Use one of ${modes.join(', ')}, or a list such as ask,write_file=all that names each tool once.`
      throw new InvalidArgumentError(cure)
    }
    policy[name] = mode
  }
  return policy
}

function isMode(text: string): text is ApprovalMode {
  return (modes as readonly string[]).includes(text)
}
