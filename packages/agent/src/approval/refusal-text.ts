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
  const allows = mode === 'readonly' ? `allows only tools that read, and this one ${EFFECTS[effect]}` : 'allows no call'
  const from = project === undefined ? '' : ` (${project})`
  return `${quoted(toolName)} was not run: the approval policy for it is ${quoted(mode)}${from}, which ${allows}.`
}

export function deniedByRule({ toolName }: Pick<ApprovalRequest, 'toolName'>, { text, from }: Rule): string {
  return `${quoted(toolName)} was not run: the rule ${quoted(`deny ${text}`)} (${from}) does not let it run with this input.`
}

export function describeDenied(toolName: string, reason: string | undefined): string {
  const because = reason === undefined ? '' : ` The reason: ${reason}`
  return `${quoted(toolName)} was not run: every call of it was denied for this run.${because}`
}

export function notAnswered(
  request: ApprovalRequest,
  why: 'stopped' | 'repeated' | 'unclear' | 'failed',
  error?: unknown,
): string {
  const tool = quoted(request.toolName)
  switch (why) {
    case 'stopped':
      return `${tool} was not run: the run was stopped before anybody approved it.`
    case 'repeated':
      return `${tool} was not run: its approval id ${quoted(request.approvalId)} belongs to another question of this run.`
    case 'unclear':
      return `${tool} was not run: what came back for the question is not an answer.`
    case 'failed':
      return `${tool} was not run: nobody could be asked for approval (${error instanceof Error ? error.message : 'unknown error'}).`
  }
}

/** For a call that needs approval if no one can answer. `project`: where the policy that asks is written. */
export function cannotAsk(
  { toolName, interrupted, foreign, inReasoning, mustAsk, rule, always }: ApprovalRequest,
  project: string | undefined,
): string {
  const tool = quoted(toolName)
  if (mustAsk !== undefined) {
    return `${tool} was not run: ${mustAsk} It needs a yes, whatever the policy says, and no one can answer in this run. Run it where someone can answer.`
  }
  if (foreign) {
    return `${tool} was not run: the call is in the document, no model of this run made it, and no one can answer in this run. Run the document in a terminal to decide.`
  }
  if (interrupted) {
    return `${tool} was not run again: an earlier run was interrupted while it was running, so its effect is unknown, and no one can answer in this run. Run the document in a terminal to decide.`
  }
  if (rule !== undefined) {
    return `${tool} was not run: the rule ${rule} asks about it, and no one can answer in this run. Run the document in a terminal to decide.`
  }
  // A name that the flag can't carry, or that it would take for its default.
  const flagHint = toolName === 'default' || /[,`\s]/.test(toolName) ? '' : ` or \`--approve ask,${toolName}=all\``
  const like = always === undefined || always === toolName || /[`']/.test(always) ? '' : ` or \`--allow '${always}'\``
  const flags = `\`--approve all\`${flagHint}${like}`
  if (project === undefined) {
    const why = inReasoning === true ? "it is written inside the model's reasoning, so it" : 'it'
    return `${tool} was not run: ${why} needs approval, and no one can answer in this run. Allow it with ${flags}, or run the document in a terminal.`
  }
  return `${tool} was not run: ${project} asks about it, and no one can answer in this run. No flag overrides that: change it, then use ${flags}, or run the document in a terminal.`
}
