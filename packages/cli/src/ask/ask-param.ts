import { isCancel, text } from '@clack/prompts'
import type { PromptTerminal } from './prompt-terminal.ts'

/** Asks until the parameter has a value. `undefined` means that the user left. */
export async function askParam(
  name: string,
  { input, output }: PromptTerminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await text({
    message: `${name}:`,
    // An Enter that was meant for something else must not become a value.
    validate: value => (value?.trim() ? undefined : `Enter a value for ${name}, or press Ctrl-C to leave.`),
    withGuide: false,
    signal,
    input,
    output,
  })
  return isCancel(answer) ? undefined : answer
}
