import type { ApprovalAnswer, ApprovalRequest } from '@argot/agent'
import type { ToolEffect } from '@argot/core/stream'
import { visibleLine } from '@argot/core/stream/internal'
import { isCancel, log, select, text } from '@clack/prompts'
import { createPaint } from '../io/paint.ts'
import { cutEnd } from '../io/width.ts'
import { wrapWords } from '../io/wrap-rows.ts'
import { withCalmInput } from './calm-input.ts'
import { describeCall, describeWhole, leavesOut } from './describe-call.ts'
import { editInput } from './edit-input.ts'
import { fitSections, wholeSections } from './fit-sections.ts'
import type { PromptTerminal } from './prompt-terminal.ts'
import { roomBelow, type ScreenSize, screenSize } from './screen-size.ts'
import { showAll } from './show-all.ts'

type Choice = 'yes' | 'no' | 'tell' | 'all' | 'always' | 'reason' | 'edit' | 'later'

const effects: Record<ToolEffect, string> = {
  read: 'It only reads.',
  write: 'It changes files.',
  exec: 'It runs a program.',
  net: 'It goes to the network.',
}

/** Shows a call to a person and asks whether it may run. `undefined` means that they do not want to decide now. */
export async function askApproval(
  request: ApprovalRequest,
  terminal: PromptTerminal,
  colours: boolean,
): Promise<ApprovalAnswer | undefined> {
  const { signal } = request
  const { output } = terminal
  const paint = createPaint(colours)
  let wasShown = false
  for (;;) {
    const size = screenSize(output)
    const head = headOf(request, size)
    const room = roomBelow(head, size, alwaysLabel(request))
    const { rows, isCut } = fitSections(describeCall(request), size.columns, room)
    output.write([...head.map(row => paint(row, 'bold')), ...rows, ''].join('\n'))
    const choice = await withCalmInput(terminal.input, input =>
      select<Choice>({
        message: `Run ${shortName(request.toolName)}?${size.isSmall ? ` ${effects[request.effect]}` : ''}`,
        options: choices(request, isCut, wasShown),
        initialValue: request.problem !== undefined ? 'tell' : needsCare(request) || isCut ? 'no' : 'yes',
        maxItems: size.answers,
        showInstructions: false,
        withGuide: false,
        signal,
        input,
        output,
      }),
    )
    if (isCancel(choice) || choice === 'later') return undefined
    if (choice === 'all') {
      const { columns } = size
      const whole = [...headOf(request, { columns, isSmall: false }), ...wholeSections(describeWhole(request), columns)]
      if (await showAll(whole, terminal, signal)) wasShown = true
    } else {
      const answer = await act(choice, request, terminal)
      if (answer !== 'again') return answer
    }
    if (signal.aborted) return undefined
  }
}

/** What was never shown in full is not allowed for good. */
function choices(request: ApprovalRequest, isCut: boolean, wasShown: boolean): { value: Choice; label: string }[] {
  const { problem } = request
  return [
    // A call that would fail is not offered to be run as it is.
    ...(problem === undefined
      ? [{ value: 'yes', label: 'Yes' } as const]
      : [{ value: 'tell', label: 'No, and tell the model that it would fail' } as const]),
    { value: 'no', label: 'No' },
    ...(isCut || leavesOut(request) ? [{ value: 'all', label: 'Show all' } as const] : []),
    ...(request.always !== undefined && problem === undefined && (!isCut || wasShown)
      ? [{ value: 'always', label: alwaysLabel(request) } as const]
      : []),
    { value: 'reason', label: 'No, and tell the model why' },
    { value: 'edit', label: 'Edit the input, then run it' },
    { value: 'later', label: 'Not now: ask again next time' },
  ]
}

/** The rule that it adds, exactly. */
function alwaysLabel({ always = '' }: ApprovalRequest): string {
  return `Yes, and allow ${visibleLine(always)} in this run`
}

/** What can do most, and what nobody knows enough about, is not run by an Enter alone. */
function needsCare({ effect, foreign, interrupted }: ApprovalRequest): boolean {
  return effect === 'exec' || foreign === true || interrupted === true
}

async function act(
  choice: Exclude<Choice, 'later' | 'all'>,
  request: ApprovalRequest,
  terminal: PromptTerminal,
): Promise<ApprovalAnswer | 'again'> {
  const { signal, input } = request
  switch (choice) {
    case 'yes':
      return { approved: true }
    case 'always':
      return { approved: true, always: true }
    case 'no':
      return { approved: false }
    case 'tell':
      return { approved: false, reason: `${request.problem} Read the file again.` }
    case 'reason': {
      const reason = await text({ message: 'Why not? The model is told.', signal, ...terminal })
      if (isCancel(reason)) return 'again'
      return reason?.trim() ? { approved: false, reason: reason.trim() } : { approved: false }
    }
    case 'edit': {
      const edited = await editInput(request, terminal).catch((error: Error) => {
        log.error(`The editor could not be used: ${visibleLine(error.message)}`, { output: terminal.output })
        return undefined
      })
      if (edited === undefined) return 'again'
      const same = JSON.stringify(edited.input) === JSON.stringify(input)
      return same ? { approved: true } : { approved: true, input: edited.input }
    }
  }
}

/** Who wants what, what is special about it, and which rule asks: in few words where there are few rows. */
function headOf(request: ApprovalRequest, { columns, isSmall }: Pick<ScreenSize, 'columns' | 'isSmall'>): string[] {
  const { foreign, interrupted, rule, effect, toolName, boundary, mustAsk, inReasoning, agents = [] } = request
  const title = request.title === undefined ? '' : ` (${shortName(request.title)})`
  const lines: string[] = []
  if (isSmall) {
    if (agents.length > 0) lines.push(cutEnd(`${whoWants(agents)} asks.`, columns - 1))
    if (foreign === true) lines.push('The document holds this call: no model of this run made it.')
    if (interrupted === true) lines.push('It was interrupted: effect unknown.')
    if (rule !== undefined) lines.push(cutEnd(`Asked by ${visibleLine(rule)}`, columns - 1))
  } else {
    const who = foreign === true ? 'Run' : `${whoWants(agents)} wants to call`
    lines.push(`? ${who} ${shortName(toolName)}${title}${foreign === true ? '?' : '.'} ${effects[effect]}`)
    if (foreign === true) lines.push('The document holds this call: no model of this run made it.')
    if (interrupted === true) {
      lines.push('The process died while this call was running, so its effect is unknown. Yes runs it again.')
    }
    if (rule !== undefined) lines.push(`The rule ${visibleLine(rule)} asks about it.`)
  }
  if (inReasoning === true) lines.push("This call is written inside the model's reasoning.")
  for (const one of [boundary, mustAsk]) if (one !== undefined) lines.push(visibleLine(one))
  if (request.problem !== undefined) lines.push(`It would fail now: ${visibleLine(request.problem)}`)
  return lines.flatMap(line => wrapWords(line, columns - 1))
}

function whoWants(agents: readonly string[]): string {
  return agents.length === 0 ? 'The model' : `The agent ${agents.map(shortName).join(' › ')}`
}

function shortName(name: string): string {
  return visibleLine(name).slice(0, 128)
}
