import type { ApprovalPolicy } from '@argot/agent'
import { type InterruptedMode, parseRule, type RuleKind } from '@argot/agent/internal'
import { parseApproval } from '@argot/agent/workshop'
import { ArgotError } from '@argot/core'
import { InvalidArgumentError, Option } from 'commander'

export interface ApproveFlags {
  approve?: ApprovalPolicy
  interrupted?: InterruptedMode
  allow?: string[]
  deny?: string[]
  allowPath?: string[]
  allowExec?: boolean
}

/**
 * Reads a mode, or a list of modes per tool such as `ask,write_file=all,rg=none`. A bare mode applies to all other
 * tools.
 */
export function parseApprove(text: string): ApprovalPolicy {
  return withArgumentError(() => parseApproval(text))
}

export function interruptedOption(): Option {
  const text =
    'what to do with a call that a crash interrupted and that may have changed something: ask whether to run it again, or tell the model (default: tell with --approve all, otherwise ask)'
  return new Option('--interrupted <mode>', text).choices(['ask', 'tell'])
}

export function createRuleReader(kind: RuleKind): (text: string, before?: string[]) => string[] {
  return (text, before = []) => [...before, withArgumentError(() => parseRule(kind, text, `\`--${kind}\``).text)]
}

function withArgumentError<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ArgotError) throw new InvalidArgumentError(error.message)
    throw error
  }
}
