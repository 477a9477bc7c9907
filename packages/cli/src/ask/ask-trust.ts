import type { TrustQuestion } from '@argot/agent'
import { confirm, isCancel } from '@clack/prompts'
import { createPaint } from '../view/paint.ts'
import { describeInput, showHidden } from './describe-input.ts'
import type { PromptTerminal } from './prompt-terminal.ts'

/** Asks whether a document may offer a command to the model. No is the default; `undefined` means that they left. */
export async function askTrust(
  question: TrustQuestion,
  terminal: PromptTerminal,
  colours: boolean,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const paint = createPaint(colours)
  const { output } = terminal
  const rows = describeInput({ command: question.command }, output.columns ?? 80, 20)
  output.write(
    `${paint('?', 'yellow')} ${showHidden(question.file)} wants to let the model run a program of this machine:\n${rows.join('\n')}\n`,
  )
  const message = 'Offer this command to the model? A yes is remembered for this document.'
  const answer = await confirm({ message, initialValue: false, signal, ...terminal })
  return isCancel(answer) ? undefined : answer
}
