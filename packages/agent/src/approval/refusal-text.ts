import type { ToolEffect } from '@argot/core/stream'
import { quoted } from '../words/quoted.ts'
import type { ApprovalPolicy, ApprovalRequest } from './approval.ts'
import { getMode } from './decide.ts'
import type { Rule } from './rule.ts'

const EFFECTS: Readonly<Record<ToolEffect, string>> = {
  read: 'reads',
  write: 'changes files',
  exec: 'runs a program',
  net: 'uses the network',
}

export function notAllowed(
  policy: ApprovalPolicy,
  { toolName, effect }: Pick<ApprovalRequest, 'toolName' | 'effect'>,
  project: string | undefined,
): string {
  const mode = getMode(policy, toolName)
  const allows = mode === 'readonly' ? `allows only tools that read; this one ${EFFECTS[effect]}` : 'allows no call'
  const from = project === undefined ? '' : ` (${project})`
  return `${quoted(toolName)} didn't run: its approval policy is ${quoted(mode)}${from}, which ${allows}.`
}

export function deniedByRule({ toolName }: Pick<ApprovalRequest, 'toolName'>, { text, from }: Rule): string {
  return `${quoted(toolName)} didn't run: the rule ${quoted(`deny ${text}`)} (${from}) denies it with this input.`
}

export function describeDenied(toolName: string, reason: string | undefined): string {
  const because = reason === undefined ? '' : ` Reason: ${reason}`
  return `${quoted(toolName)} didn't run: all its calls were denied for this run.${because}`
}

export function notAnswered(
  request: ApprovalRequest,
  why: 'stopped' | 'repeated' | 'unclear' | 'failed',
  error?: unknown,
): string {
  const tool = quoted(request.toolName)
  switch (why) {
    case 'stopped':
      return `${tool} didn't run: the run was stopped before anyone approved it.`
    case 'repeated':
      return `${tool} didn't run: its approval id ${quoted(request.approvalId)} belongs to another question in this run.`
    case 'unclear':
      return `${tool} didn't run: the response to the approval question isn't a valid answer.`
    case 'failed':
      return `${tool} didn't run: asking for approval failed (${error instanceof Error ? error.message : 'unknown error'}).`
  }
}

/** For a call that needs approval if no one can answer. `project`: where the policy that asks is written. */
export function cannotAsk(
  { toolName, interrupted, foreign, inReasoning, mustAsk, rule, always }: ApprovalRequest,
  project: string | undefined,
): string {
  const tool = quoted(toolName)
  if (mustAsk !== undefined) {
    return `${tool} didn't run: ${mustAsk} It always needs approval, whatever the policy says, and no one can answer in this run. Run it where someone can answer.`
  }
  if (foreign) {
    return `${tool} didn't run: the call comes from the document, no model of this run made it, and no one can answer in this run. Run the document in a terminal to decide.`
  }
  if (interrupted) {
    return `${tool} didn't run again: an earlier run was interrupted during this call, so its effect is unknown, and no one can answer in this run. Run the document in a terminal to decide.`
  }
  if (rule !== undefined) {
    return `${tool} didn't run: the rule ${rule} requires approval, and no one can answer in this run. Run the document in a terminal to decide.`
  }
  // A name that the flag can't carry, or that it would take for its default.
  const flagHint = toolName === 'default' || /[,`\s]/.test(toolName) ? '' : ` or \`--approve ask,${toolName}=all\``
  const like = always === undefined || always === toolName || /[`']/.test(always) ? '' : ` or \`--allow '${always}'\``
  const flags = `\`--approve all\`${flagHint}${like}`
  if (project === undefined) {
    const why = inReasoning === true ? "it is written inside the model's reasoning, so it" : 'it'
    return `${tool} didn't run: ${why} needs approval, and no one can answer in this run. Allow it with ${flags}, or run the document in a terminal.`
  }
  return `${tool} didn't run: ${project} requires approval, and no one can answer in this run. No flag overrides that: change it, then use ${flags}, or run the document in a terminal.`
}
