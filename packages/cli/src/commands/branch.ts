import { branchDocument } from '@argot/agent/workshop'
import type { Command } from 'commander'
import { type Io, jsonLine, print } from '../io/io.ts'

interface BranchFlags {
  at: string
  including?: boolean
  json?: boolean
}

/** `argot branch`: a new document with the history up to a message, for another try or another question. */
export function branchCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .requiredOption(
      '--at <id>',
      'the message: its `id`, or the `message` of its elements; chatmd-N for the Nth element, where it has none',
    )
    .option('--including', 'keep the message itself too')
    .option('--json', 'print the name of the new document as JSON')
    .action(async (file: string, flags: BranchFlags) => done(await branch(file, flags, io)))
}

async function branch(file: string, { at, including = false, json = false }: BranchFlags, io: Io): Promise<number> {
  const path = await branchDocument(file, at, { including })
  await print(io, json ? jsonLine({ file: path }) : `${path}\n`)
  return 0
}
