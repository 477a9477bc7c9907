import type { ApprovalAnswer, ApprovalRequest } from '@argot/agent'
import { isCancel, log, select, text } from '@clack/prompts'
import type { ToolEffect } from 'argot'
import { createPaint } from '../view/paint.ts'
import { describeInput, showHidden } from './describe-input.ts'
import { editInput } from './edit-input.ts'
import type { PromptTerminal } from './prompt-terminal.ts'

type Choice = 'yes' | 'always' | 'no' | 'reason' | 'edit' | 'later'

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
  const name = showHidden(request.toolName).slice(0, 128)
  terminal.output.write(`${describeRequest(request, name, terminal, colours).join('\n')}\n`)
  for (;;) {
    const choice = await select<Choice>({
      message: `Run ${name}?`,
      options: [
        { value: 'yes', label: 'Yes' },
        { value: 'always', label: 'Yes, and do not ask about this tool again in this run' },
        { value: 'no', label: 'No' },
        { value: 'reason', label: 'No, and tell the model why' },
        { value: 'edit', label: 'Edit the input, then run it' },
        { value: 'later', label: 'Not now: stop here and ask again next time' },
      ],
      signal,
      ...terminal,
    })
    const answer = isCancel(choice) || choice === 'later' ? undefined : await act(choice, request, terminal)
    if (answer !== 'again') return answer
    if (signal.aborted) return undefined
  }
}

async function act(
  choice: Exclude<Choice, 'later'>,
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
    case 'reason': {
      const reason = await text({ message: 'Why not? The model is told.', signal, ...terminal })
      if (isCancel(reason)) return 'again'
      return reason?.trim() ? { approved: false, reason: reason.trim() } : { approved: false }
    }
    case 'edit': {
      const edited = await editInput(input, terminal, signal).catch((error: Error) => {
        log.error(`The editor could not be used: ${showHidden(error.message)}`, { output: terminal.output })
        return undefined
      })
      if (edited === undefined) return 'again'
      const same = JSON.stringify(edited.input) === JSON.stringify(input)
      return same ? { approved: true } : { approved: true, input: edited.input }
    }
  }
}

function describeRequest(
  request: ApprovalRequest,
  name: string,
  { output }: PromptTerminal,
  colours: boolean,
): string[] {
  const paint = createPaint(colours)
  const title = request.title === undefined ? '' : ` (${showHidden(request.title).slice(0, 128)})`
  const who =
    request.foreign === true ? 'The document holds a call that no model of this run made:' : 'The model wants to call'
  const head = `${paint('?', 'yellow')} ${who} ${paint(name, 'bold')}${title}. ${effects[request.effect]}`
  const rows = Math.max(6, (output.rows ?? 24) - 12)
  const lines = describeInput(request.input, output.columns ?? 80, rows)
  const warning =
    request.interrupted === true
      ? [paint('The process died while this call was running: what it did is not known. Yes runs it again.', 'yellow')]
      : []
  const { boundary, mustAsk } = request
  const more = [boundary, mustAsk].flatMap(one => (one === undefined ? [] : [showHidden(one)]))
  return [head, ...lines, ...more, ...warning]
}
