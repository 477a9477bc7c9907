import { basename } from 'node:path'
import type { TrustQuestion } from '@argot/agent/internal'
import { visibleLine } from '@argot/core/stream/internal'
import { isCancel, select } from '@clack/prompts'
import { createPaint } from '../io/paint.ts'
import { cutEnd } from '../io/width.ts'
import { wrapWords } from '../io/wrap-rows.ts'
import { withCalmInput } from './calm-input.ts'
import { parameterSection } from './describe-call.ts'
import { fitSections, type QuestionSection, wholeSections } from './fit-sections.ts'
import type { PromptTerminal } from './prompt-terminal.ts'
import { roomBelow, screenSize } from './screen-size.ts'
import { showAll } from './show-all.ts'

/** No, all, once, always. */
const ANSWERS = 4

export type TrustChoice = 'no' | 'all' | 'remember' | 'once'

/**
 * Asks whether a document may offer a command to the model. The default is no. `once` is a yes that isn't remembered,
 * and `undefined` means that the user left.
 */
export async function askTrust(
  question: TrustQuestion,
  terminal: PromptTerminal,
  colours: boolean,
  signal: AbortSignal,
): Promise<boolean | 'once' | undefined> {
  const { output } = terminal
  const size = screenSize(output)
  const { columns } = size
  const paint = createPaint(colours)
  const file = visibleLine(size.isSmall ? basename(question.file) : question.file)
  const { small, whole, offer } = trustWords(question)
  const head = size.isSmall ? [cutEnd(`? ${file} ${small}`, columns - 1)] : wrapWords(`? ${file} ${whole}`, columns - 1)
  const sections = describeCommand(question)
  const { rows, isCut } = fitSections(sections, columns, roomBelow(head, { ...size, answers: ANSWERS }))
  let wasShown = !isCut
  for (;;) {
    output.write(`${[...head.map(row => paint(row, 'bold')), ...rows].join('\n')}\n`)
    const choice = await withCalmInput(terminal.input, input =>
      select<TrustChoice>({
        message: offer,
        options: trustChoices(question, isCut, wasShown),
        initialValue: 'no',
        showInstructions: false,
        withGuide: false,
        signal,
        input,
        output,
      }),
    )
    if (isCancel(choice)) return undefined
    if (choice !== 'all') return choice === 'remember' ? true : choice === 'once' ? 'once' : false
    if (await showAll([...head, ...wholeSections(sections, columns)], terminal, signal)) wasShown = true
    if (signal.aborted) return undefined
  }
}

export function trustWords({ command }: TrustQuestion): { small: string; whole: string; offer: string } {
  if (command.startsWith('module:')) {
    return {
      small: 'wants to load a file:',
      whole:
        'wants to load a JavaScript file into this process. It runs outside any sandbox and can do everything you can.',
      offer: 'Load this file?',
    }
  }
  if (command.startsWith('stdio:')) {
    return {
      small: 'wants to start a server:',
      whole: 'wants to start an MCP server, a program on this machine, and let the model use its tools:',
      offer: 'Start this server?',
    }
  }
  return {
    small: 'wants to run a program:',
    whole: 'wants to let the model run a program on this machine:',
    offer: 'Offer this command to the model?',
  }
}

/** Something that was never shown in full, or doesn't exist yet, can't be trusted permanently. */
export function trustChoices(
  { identity }: TrustQuestion,
  isCut: boolean,
  wasShown: boolean,
): { value: TrustChoice; label: string }[] {
  return [
    { value: 'no', label: 'No' },
    ...(isCut ? [{ value: 'all', label: 'Show all' } as const] : []),
    { value: 'once', label: 'Yes, for this run' },
    ...(identity !== undefined && wasShown
      ? [{ value: 'remember', label: 'Yes, always for this document' } as const]
      : []),
  ]
}

export function describeCommand({ command, identity }: TrustQuestion): QuestionSection[] {
  if (identity === undefined) return [parameterSection('command', command), { text: 'The program was not found.' }]
  const { program, files } = identity
  const otherFiles = files.filter(({ path }) => path !== program).map(({ path }) => path)
  return [
    parameterSection('command', command),
    parameterSection('program', program),
    ...otherFiles.map(path => parameterSection('file', path)),
  ]
}
