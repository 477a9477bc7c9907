import type { ApprovalRequest } from '@argot/agent'
import type { ToolEffect } from '@argot/core/stream'
import { visibleLine } from '@argot/core/stream/internal'

export const effects: Record<ToolEffect, string> = {
  read: 'It only reads.',
  write: 'It changes files.',
  exec: 'It runs a program.',
  net: 'It goes to the network.',
}

/** Who wants what, what is special about it, and which rule asks. */
export function questionLines(request: ApprovalRequest): string[] {
  const { foreign, interrupted, rule, effect, toolName, agents = [] } = request
  const title = request.title === undefined ? '' : ` (${shortName(request.title)})`
  const who = foreign === true ? 'Run' : `${whoWants(agents)} wants to call`
  const lines = [`${who} ${shortName(toolName)}${title}${foreign === true ? '?' : '.'} ${effects[effect]}`]
  if (foreign === true) lines.push('The document holds this call: no model of this run made it.')
  if (interrupted === true) {
    lines.push('The process died while this call was running, so its effect is unknown. Yes runs it again.')
  }
  if (rule !== undefined) lines.push(`The rule ${visibleLine(rule)} asks about it.`)
  return lines
}

/** What is true of the call on any screen. */
export function warningLines({ inReasoning, boundary, mustAsk, problem }: ApprovalRequest): string[] {
  const lines: string[] = []
  if (inReasoning === true) lines.push("This call is written inside the model's reasoning.")
  for (const one of [boundary, mustAsk]) if (one !== undefined) lines.push(visibleLine(one))
  if (problem !== undefined) lines.push(`It would fail now: ${visibleLine(problem)}`)
  return lines
}

export function whoWants(agents: readonly string[]): string {
  return agents.length === 0 ? 'The model' : `The agent ${agents.map(shortName).join(' › ')}`
}

export function shortName(name: string): string {
  return visibleLine(name).slice(0, 128)
}
