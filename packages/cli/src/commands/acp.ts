import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  type ApprovalMode,
  checkModelName,
  findConfigFolder,
  type SandboxMode,
  sandboxModes,
} from '@argot/agent/internal'
import { syntaxes } from '@argot/core/syntax'
import { type Command, Option } from 'commander'
import { readFolder } from '../documents/folder-paths.ts'
import { type Io, tell, UsageError } from '../io/io.ts'
import { addSyntaxOption, type SyntaxFlags } from '../options/syntax-option.ts'

interface AcpFlags extends SyntaxFlags {
  model?: string
  approve?: ApprovalMode
  new?: string
  allowExec?: boolean
  sandbox?: SandboxMode
  quiet?: boolean
}

export function acpCommand(command: Command, io: Io, done: (status: number) => void): void {
  addSyntaxOption(command)
    .option('-m, --model <name>', 'use this model for new sessions instead of the one a document names')
    .addOption(
      new Option(
        '--approve <mode>',
        'which calls run without asking; the editor can only choose stricter modes (default: ask, and any mode)',
      ).choices(['ask', 'all', 'readonly', 'none']),
    )
    .option('--new <file>', 'start new sessions as a copy of this document')
    .option('--allow-exec', 'start the commands, servers and modules in documents without asking')
    .addOption(
      new Option(
        '--sandbox <mode>',
        'sandbox the programs that tools start: auto (if possible), require (never run a program outside a sandbox) or off',
      ).choices(sandboxModes),
    )
    .option('-q, --quiet', 'print no notices')
    .addHelpText(
      'after',
      `
An editor starts this command and talks to it on stdin and stdout.
Notices go to stderr. Each session is a document in the chats/ subfolder of its
folder. To continue it, use \`argot run\`, \`argot chat\` or \`argot serve\`.`,
    )
    .action(async (folder: string | undefined, flags: AcpFlags) => done(await acp(folder, flags, io)))
}

async function acp(folder: string | undefined, flags: AcpFlags, io: Io): Promise<number> {
  const name = flags.toolSyntax ?? flags.syntax
  const syntax = name === undefined ? undefined : syntaxes.get(name).name
  checkModelName(flags.model, { env: io.env })
  const root = folder === undefined ? undefined : await readFolder(resolve(io.cwd(), folder))
  const template = flags.new === undefined ? undefined : await readTemplate(resolve(io.cwd(), flags.new))
  // Load the protocol library only here: other commands don't wait for it.
  const { serveAcp } = await import('../acp/serve-acp.ts')
  await serveAcp({
    io,
    folder: root,
    template,
    approve: flags.approve,
    model: flags.model,
    syntax,
    notice: text => void (flags.quiet === true ? undefined : tell(io, `${text}\n`)),
    run: {
      env: io.env,
      configFolder: findConfigFolder({ env: io.env }),
      ...(flags.allowExec === true && { allowExec: true }),
      ...(flags.sandbox !== undefined && { sandbox: flags.sandbox }),
    },
  })
  return 0
}

async function readTemplate(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) throw new UsageError(`There is no document "${file}".`)
  return text
}
