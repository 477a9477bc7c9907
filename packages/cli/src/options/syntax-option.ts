import { resolveSyntax, type Settings } from '@argot/agent/internal'
import { loadSettings } from '@argot/agent/workshop'
import type { Syntax } from '@argot/core/syntax'
import { commonSyntaxes } from '@argot/core/syntax/internal'
import type { Command } from 'commander'
import { type Io, UsageError } from '../io/io.ts'

export interface SyntaxFlags {
  toolSyntax?: string
  syntax?: string
}

export const someSyntaxes: string = `${commonSyntaxes.join(', ')} (all: argot models --syntaxes)`

export function addSyntaxOption(command: Command): Command {
  return command
    .option('-s, --syntax <name>', `how the model writes tool calls: ${someSyntaxes}`)
    .option('--tool-syntax <name>', 'same as --syntax')
}

/**
 * The syntax from the flag, the variable `ARGOT_TOOL_SYNTAX`, or `toolSyntax` in `argot.config.json` in the current
 * folder or the user's settings, in this order. Throws if none is set.
 */
export async function findSyntax(flags: SyntaxFlags, io: Io): Promise<Syntax> {
  const { env } = io
  const flag = flags.toolSyntax ?? flags.syntax
  const settings: Pick<Settings, 'toolSyntax'> =
    flag === undefined ? await loadSettings({ directory: io.cwd(), env }) : {}
  if (flag === '' || (flag === undefined && !env.ARGOT_TOOL_SYNTAX && settings.toolSyntax === undefined)) {
    throw new UsageError(
      `Choose a syntax with --syntax NAME, the variable ARGOT_TOOL_SYNTAX, or \`toolSyntax\` in argot.config.json. Syntaxes: ${someSyntaxes}.`,
    )
  }
  return resolveSyntax({ flag, env, settings, nativeTools: false }).syntax
}
