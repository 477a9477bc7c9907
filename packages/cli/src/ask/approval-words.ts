import type { ApprovalRequest } from '@argot/agent'
import type { ToolEffect } from '@argot/core/stream'
import { visibleLine } from '@argot/core/stream/internal'
import { cutEnd } from '../io/width.ts'
import { wrapWords } from '../io/wrap-rows.ts'
import { findParts } from './choose-parts.ts'
import { omitsParameters } from './describe-call.ts'
import type { ScreenSize } from './screen-size.ts'

export type Period = 'run' | 'chat'

export type ApprovalChoice = 'yes' | 'part' | 'no' | 'tell' | 'all' | 'always' | 'reason' | 'edit' | 'later'

export const effects: Record<ToolEffect, string> = {
  read: 'It only reads.',
  write: 'It changes files.',
  exec: 'It runs a program.',
  net: 'It uses the network.',
}

/** A call that was never shown in full can't be allowed permanently. */
export function approvalChoices(
  request: ApprovalRequest,
  isCut: boolean,
  wasShown: boolean,
  period: Period = 'run',
): { value: ApprovalChoice; label: string }[] {
  const { problem } = request
  return [
    // A call that would fail can't be run unchanged.
    ...(problem === undefined
      ? [{ value: 'yes', label: 'Yes' } as const]
      : [{ value: 'tell', label: 'No, and tell the model that it would fail' } as const]),
    ...(findParts(request) === undefined
      ? []
      : [{ value: 'part', label: 'Yes, but only some of the changes' } as const]),
    { value: 'no', label: 'No' },
    ...(isCut || omitsParameters(request) ? [{ value: 'all', label: 'Show all' } as const] : []),
    ...(request.always !== undefined && problem === undefined && (!isCut || wasShown)
      ? [{ value: 'always', label: alwaysLabel(request, period) } as const]
      : []),
    { value: 'reason', label: 'No, and tell the model why' },
    { value: 'edit', label: 'Edit the input, then run it' },
    { value: 'later', label: 'Not now: ask again next time' },
  ]
}

export function alwaysLabel({ always = '' }: ApprovalRequest, period: Period = 'run'): string {
  return `Yes, and allow ${visibleLine(always)} for this ${period}`
}

/** The most powerful and the least known calls don't run on Enter alone. */
function needsCare({ effect, foreign, interrupted }: ApprovalRequest): boolean {
  return effect === 'exec' || foreign === true || interrupted === true
}

/** Who wants to do what, what is special about it, and which rule asks. Shorter on small screens. */
export function approvalHead(
  request: ApprovalRequest,
  { columns, isSmall }: Pick<ScreenSize, 'columns' | 'isSmall'>,
): string[] {
  const { foreign, interrupted, rule, effect, toolName, boundary, mustAsk, inReasoning, agents = [] } = request
  const title = request.title === undefined ? '' : ` (${shortName(request.title)})`
  const lines: string[] = []
  if (isSmall) {
    if (agents.length > 0) lines.push(cutEnd(`${whoWants(agents)} asks.`, columns - 1))
    if (foreign === true) lines.push('This call comes from the document. No model in this run made it.')
    if (interrupted === true) lines.push('It was interrupted. Its effect is unknown.')
    if (rule !== undefined) lines.push(cutEnd(`Rule: ${visibleLine(rule)}`, columns - 1))
  } else {
    const who = foreign === true ? 'Run' : `${whoWants(agents)} wants to call`
    lines.push(`? ${who} ${shortName(toolName)}${title}${foreign === true ? '?' : '.'} ${effects[effect]}`)
    if (foreign === true) lines.push('This call comes from the document. No model in this run made it.')
    if (interrupted === true) {
      lines.push('The process died during this call, so its effect is unknown. Yes runs it again.')
    }
    if (rule !== undefined) lines.push(`The rule ${visibleLine(rule)} requires approval.`)
  }
  if (inReasoning === true) lines.push("This call is written inside the model's reasoning.")
  for (const one of [boundary, mustAsk]) if (one !== undefined) lines.push(visibleLine(one))
  if (request.problem !== undefined) lines.push(`It would fail now: ${visibleLine(request.problem)}`)
  return lines.flatMap(line => wrapWords(line, columns - 1))
}

function whoWants(agents: readonly string[]): string {
  return agents.length === 0 ? 'The model' : `The agent ${agents.map(shortName).join(' › ')}`
}

export function shortName(name: string): string {
  return visibleLine(name).slice(0, 128)
}

/** The choice for Enter alone: never one that can do harm. */
export function defaultChoice(request: ApprovalRequest, isCut: boolean): ApprovalChoice {
  if (request.problem !== undefined) return 'tell'
  return needsCare(request) || isCut ? 'no' : 'yes'
}
