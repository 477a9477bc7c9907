import type { ApprovalPolicy } from '@argot/agent'
import type { InterruptedMode } from '@argot/agent/internal'
import type { ServerOptions } from '@argot/server'
import type { Command } from 'commander'
import type { Io } from '../io/io.ts'
import { interruptedOption, parseApprove } from './approve-option.ts'
import { addSyntaxOption, type SyntaxFlags } from './syntax-option.ts'

export interface ServedRunFlags extends SyntaxFlags {
  store?: string
  root?: string
  model?: string
  approve?: ApprovalPolicy
  interrupted?: InterruptedMode
  allowExec?: boolean
  quiet?: boolean
}

const EXIT_MS = 4000

export function addServedRunOptions(command: Command): Command {
  return addSyntaxOption(command)
    .option('-m, --model <name>', 'use this model instead of the one a document names')
    .option('--allow-exec', 'start the commands, servers and modules in documents without asking')
    .option(
      '--approve <policy>',
      'which calls run without asking: ask, all, readonly, none, or tool=mode',
      parseApprove,
    )
    .addOption(interruptedOption())
}

/** Converts the flags to server options. `root` is the folder for tools that need one. */
export function toServedRun(
  flags: ServedRunFlags,
  {
    io,
    configFolder,
    root,
    now,
  }: { io: Io; configFolder: string; root: string | undefined; now: (() => number) | undefined },
): NonNullable<ServerOptions['run']> {
  return {
    env: io.env,
    cwd: root,
    hasFolder: root !== undefined,
    now,
    configFolder,
    model: flags.model,
    approve: flags.approve,
    interrupted: flags.interrupted,
    syntax: flags.toolSyntax ?? flags.syntax,
    allowExec: flags.allowExec,
  }
}

/** A tool that doesn't stop can't delay the exit. Its run resumes as after a crash. */
export function exitSoon(status: number): void {
  setTimeout(() => process.exit(status), EXIT_MS).unref()
}
