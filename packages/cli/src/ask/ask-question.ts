import type { ClientCall, ClientOutput } from '@argot/agent/internal'
import { visibleLine } from '@argot/core/stream/internal'
import { isCancel, select, text } from '@clack/prompts'
import { createPaint } from '../io/paint.ts'
import { wrapWords } from '../io/wrap-rows.ts'
import { withCalmInput } from './calm-input.ts'
import { parameterSection } from './describe-call.ts'
import { fitSections } from './fit-sections.ts'
import type { PromptTerminal } from './prompt-terminal.ts'
import { readQuestion, toOutput } from './read-question.ts'
import { roomBelow, screenSize } from './screen-size.ts'

const LONGEST_QUESTION = 2000
const LONGEST_LABEL = 200

type Choice = number | 'other' | 'none' | 'later'

/**
 * Asks the user for the output of a client tool: the answer to a question from the model, with its choices, or the
 * result of an external tool. `undefined` means that the user doesn't want to answer now.
 */
export async function askQuestion(
  call: Omit<ClientCall, 'signal'>,
  terminal: PromptTerminal,
  colours: boolean,
  signal: AbortSignal,
): Promise<ClientOutput | undefined> {
  const userQuestion = readQuestion(call)
  if (userQuestion === undefined) return askResult(call, terminal, colours, signal)
  const { columns } = screenSize(terminal.output)
  const question = wrapWords(`? ${visibleLine(userQuestion.question).slice(0, LONGEST_QUESTION)}`, columns - 1)
  write(terminal, question, [], colours)
  if (userQuestion.options.length === 0) return toAnswer(await askText('Your answer:', terminal, signal))
  for (;;) {
    const choice = await choose(userQuestion.options, terminal, signal)
    if (isCancel(choice) || choice === 'later') return undefined
    if (choice === 'none') return { errorText: 'The user does not want to answer this.' }
    if (typeof choice === 'number') return { output: userQuestion.options[choice] }
    const other = await askText('Your answer:', terminal, signal)
    if (other !== undefined || signal.aborted) return toAnswer(other)
  }
}

function choose(
  options: readonly string[],
  { input: source, output }: PromptTerminal,
  signal: AbortSignal,
): Promise<Choice | symbol> {
  return withCalmInput(source, input =>
    select<Choice>({
      message: 'Your answer?',
      options: [
        ...options.map((option, value) => ({ value, label: visibleLine(option).slice(0, LONGEST_LABEL) })),
        { value: 'other', label: 'Something else …' },
        { value: 'none', label: 'No answer: the model continues without one' },
        { value: 'later', label: 'Not now: ask again next time' },
      ],
      maxItems: screenSize(output).answers + 3,
      showInstructions: false,
      withGuide: false,
      signal,
      input,
      output,
    }),
  )
}

/** A tool that runs outside this process, for example on a page. Here, only the user can supply its result. */
async function askResult(
  { toolName, input }: Omit<ClientCall, 'signal'>,
  terminal: PromptTerminal,
  colours: boolean,
  signal: AbortSignal,
): Promise<ClientOutput | undefined> {
  const size = screenSize(terminal.output)
  const name = visibleLine(toolName).slice(0, 128)
  const sentence = `? The model called ${name}, which runs outside this command. You can enter its result.`
  const head = wrapWords(sentence, size.columns - 1)
  const { rows } = fitSections([parameterSection('input', input)], size.columns, roomBelow(head, size))
  write(terminal, head, rows, colours)
  const result = await askText(`Result of ${name}, as text or JSON:`, terminal, signal)
  return result === undefined ? undefined : toOutput({ toolName, input }, result)
}

function write({ output }: PromptTerminal, head: readonly string[], rows: readonly string[], colours: boolean): void {
  const paint = createPaint(colours)
  output.write(`${[...head.map(row => paint(row, 'bold')), ...rows].join('\n')}\n`)
}

function toAnswer(output: string | undefined): ClientOutput | undefined {
  return output === undefined ? undefined : { output }
}

async function askText(
  message: string,
  { input, output }: PromptTerminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await text({
    message,
    // An Enter that was meant for something else must not become an answer.
    validate: value =>
      value?.trim() ? undefined : 'Enter an answer, or press Ctrl-C to leave. Argot asks again next time.',
    withGuide: false,
    signal,
    input,
    output,
  })
  return isCancel(answer) ? undefined : answer
}
