import type { ApprovalAnswer, ApprovalRequest } from '@argot/agent'
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
import { effects, questionLines, shortName, warningLines, whoWants } from './question-lines.ts'
import { roomBelow, type ScreenSize, screenSize } from './screen-size.ts'
import { showAll } from './show-all.ts'

type Choice = 'yes' | 'no' | 'tell' | 'all' | 'always' | 'reason' | 'edit' | 'later'

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
  const lines = isSmall ? shortLines(request, columns) : questionLines(request)
  if (!isSmall) lines[0] = `? ${lines[0]}`
  return [...lines, ...warningLines(request)].flatMap(line => wrapWords(line, columns - 1))
}

function shortLines({ foreign, interrupted, rule, agents = [] }: ApprovalRequest, columns: number): string[] {
  const lines: string[] = []
  if (agents.length > 0) lines.push(cutEnd(`${whoWants(agents)} asks.`, columns - 1))
  if (foreign === true) lines.push('The document holds this call: no model of this run made it.')
  if (interrupted === true) lines.push('It was interrupted: effect unknown.')
  if (rule !== undefined) lines.push(cutEnd(`Asked by ${visibleLine(rule)}`, columns - 1))
  return lines
}
