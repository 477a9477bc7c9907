import { ArgotError } from '@argot/core'
import { didYouMean } from '../words/did-you-mean.ts'
import { quoted } from '../words/quoted.ts'
import type { ApprovalMode, ApprovalPolicy } from './approval.ts'
import { approvalModes, isApprovalMode } from './decide.ts'

/**
 * Parses the policy of the flag `--approve`: a mode, or a list such as `ask,write_file=all,rg=none`. A list without a
 * mode says nothing about other tools. Throws `SETTINGS_BAD_VALUE`.
 */
export function parseApproval(text: string): ApprovalPolicy {
  if (isApprovalMode(text)) return text
  const policy = Object.create(null) as Record<string, ApprovalMode>
  for (const item of text.split(',')) {
    // Modes have no `=`, but tool names may.
    const equals = item.lastIndexOf('=')
    const tool = equals === -1 ? 'default' : item.slice(0, equals).trim()
    const mode = item.slice(equals + 1).trim()
    if (!isApprovalMode(mode)) {
      throw badPolicy(
        text,
        mode === '' ? 'A mode is missing.' : `There is no mode ${quoted(mode)}.${didYouMean(mode, approvalModes)}`,
      )
    }
    if (tool === '') throw badPolicy(text, `A tool name is missing before \`=${mode}\`.`)
    if (Object.hasOwn(policy, tool)) {
      throw badPolicy(
        text,
        tool === 'default' ? 'It sets the mode for all other tools twice.' : `It names ${quoted(tool)} twice.`,
      )
    }
    policy[tool] = mode
  }
  const { default: rest } = policy
  return rest !== undefined && Object.keys(policy).length === 1 ? rest : policy
}

function badPolicy(text: string, why: string): ArgotError {
  const modes = approvalModes.map(mode => `\`${mode}\``).join(', ')
  const message = `${quoted(text)} is not an approval policy. ${why} Use one of ${modes}, or a list such as \`ask,write_file=all\`.`
  return new ArgotError('SETTINGS_BAD_VALUE', message)
}
