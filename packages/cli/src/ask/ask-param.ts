import { isCancel, text } from '@clack/prompts'
import type { PromptTerminal } from './prompt-terminal.ts'

/** Asks for the value of a parameter, until there is one; `undefined` means that they left. */
export async function askParam(
  name: string,
  { input, output }: PromptTerminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await text({
    message: `${name}:`,
    // An Enter that was meant for something else gives no value.
    validate: value => (value?.trim() ? undefined : `Say what ${name} is, or leave with Ctrl-C.`),
    withGuide: false,
    signal,
    input,
    output,
  })
  return isCancel(answer) ? undefined : answer
}
