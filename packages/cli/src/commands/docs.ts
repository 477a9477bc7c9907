import { type Command, InvalidArgumentError } from 'commander'
import { type Io, print } from '../io/io.ts'
import { addSyntaxOption, chosenSyntax, type SyntaxFlags } from '../options/syntax-option.ts'
import { readTools } from '../options/tool-file.ts'

/** `argot docs`: the text that teaches a model the tools in a syntax. */
export function docsCommand(command: Command, io: Io, done: (status: number) => void): void {
  addSyntaxOption(command)
    .requiredOption('-t, --tools <file>', 'a JSON file with the tools', notEmpty)
    .addHelpText('after', '\nExample:\n  argot docs --syntax xml --tools tools.json')
    .action(async (flags: SyntaxFlags & { tools: string }) => {
      const syntax = await chosenSyntax(flags, io)
      await print(io, `${syntax.describe(await readTools(flags.tools)).trimEnd()}\n`)
      done(0)
    })
}

function notEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('Name a file.')
  return value
}
