import { type ApprovalPolicy, parseApproval } from '@argot/agent'
import { ArgotError } from 'argot'
import { InvalidArgumentError } from 'commander'

/** Reads a mode, or a list of modes per tool such as `ask,write_file=all,rg=none`; a bare mode is for all others. */
export function parseApprove(text: string): ApprovalPolicy {
  try {
    return parseApproval(text)
  } catch (error) {
    if (error instanceof ArgotError) throw new InvalidArgumentError(error.message)
    throw error
  }
}
