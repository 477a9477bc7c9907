import type { ApprovalAnswer, ApprovalRequest } from '@argot/agent'
import { visibleLine } from '@argot/core/stream/internal'
import { isCancel, log, select, text } from '@clack/prompts'
import { createPaint } from '../io/paint.ts'
import {
  type ApprovalChoice,
  alwaysLabel,
  approvalChoices,
  approvalHead,
  defaultChoice,
  effects,
  shortName,
} from './approval-words.ts'
import { withCalmInput } from './calm-input.ts'
import { chooseParts } from './choose-parts.ts'
import { describeCall, describeWhole } from './describe-call.ts'
import { editInput } from './edit-input.ts'
import { fitSections, wholeSections } from './fit-sections.ts'
import type { PromptTerminal } from './prompt-terminal.ts'
import { roomBelow, screenSize } from './screen-size.ts'
import { showAll } from './show-all.ts'

/** Shows a call and asks whether it may run. `undefined` means that the user doesn't want to decide now. */
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
    const head = approvalHead(request, size)
    const room = roomBelow(head, size, alwaysLabel(request))
    const { rows, isCut } = fitSections(describeCall(request), size.columns, room)
    output.write([...head.map(row => paint(row, 'bold')), ...rows, ''].join('\n'))
    const choice = await withCalmInput(terminal.input, input =>
      select<ApprovalChoice>({
        message: `Run ${shortName(request.toolName)}?${size.isSmall ? ` ${effects[request.effect]}` : ''}`,
        options: approvalChoices(request, isCut, wasShown),
        initialValue: defaultChoice(request, isCut),
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
      const whole = [
        ...approvalHead(request, { columns, isSmall: false }),
        ...wholeSections(describeWhole(request), columns),
      ]
      if (await showAll(whole, terminal, signal)) wasShown = true
    } else {
      const answer = await act(choice, request, terminal)
      if (answer !== 'again') return answer
    }
    if (signal.aborted) return undefined
  }
}

async function act(
  choice: Exclude<ApprovalChoice, 'later' | 'all'>,
  request: ApprovalRequest,
  terminal: PromptTerminal,
): Promise<ApprovalAnswer | 'again'> {
  const { signal, input } = request
  switch (choice) {
    case 'yes':
      return { approved: true }
    case 'always':
      return { approved: true, always: true }
    case 'part':
      return chooseParts(request, screenSize(terminal.output).columns, async ({ title, rows }) => {
        terminal.output.write(`${[...rows, ''].join('\n')}`)
        const isKept = await withCalmInput(terminal.input, input =>
          select<boolean>({
            message: title,
            options: [
              { value: true, label: 'Apply it' },
              { value: false, label: 'Skip it' },
            ],
            showInstructions: false,
            withGuide: false,
            signal,
            input,
            output: terminal.output,
          }),
        )
        return isCancel(isKept) ? undefined : isKept
      })
    case 'no':
      return { approved: false }
    case 'tell':
      return { approved: false, reason: `${request.problem} Read the file again.` }
    case 'reason': {
      const reason = await text({ message: 'Why not? The model will see this.', signal, ...terminal })
      if (isCancel(reason)) return 'again'
      return reason?.trim() ? { approved: false, reason: reason.trim() } : { approved: false }
    }
    case 'edit': {
      const edited = await editInput(request, terminal).catch((error: Error) => {
        log.error(`The editor failed: ${visibleLine(error.message)}`, { output: terminal.output })
        return undefined
      })
      if (edited === undefined) return 'again'
      const isSame = JSON.stringify(edited.input) === JSON.stringify(input)
      return isSame ? { approved: true } : { approved: true, input: edited.input }
    }
  }
}
