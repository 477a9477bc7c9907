import { type Syntax, syntaxes } from 'argot/syntax'
import { type Command, Option } from 'commander'
import { type Io, UsageError } from './io.ts'

export interface SyntaxFlags {
  toolSyntax?: string
  syntax?: string
}

/** Gives a command `--tool-syntax` and its short name `--syntax`. */
export function addSyntaxOption(command: Command): Command {
  return command
    .addOption(new Option('-s, --syntax <name>', `the tool syntax: ${syntaxes.names().join(', ')}`))
    .addOption(new Option('--tool-syntax <name>', 'the same as --syntax').hideHelp())
}

/** The syntax that the flag names, else the variable `ARGOT_TOOL_SYNTAX`. */
export function chosenSyntax(flags: SyntaxFlags, io: Io): Syntax {
  const name = flags.toolSyntax ?? flags.syntax ?? io.env.ARGOT_TOOL_SYNTAX
  if (name !== undefined && name !== '') return syntaxes.get(name)
  throw new UsageError(`Say which syntax with --syntax NAME. The known ones are: ${syntaxes.names().join(', ')}.`)
}
