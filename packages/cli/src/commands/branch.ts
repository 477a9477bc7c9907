import { branchDocument } from '@argot/agent/workshop'
import type { Command } from 'commander'
import { readConversation } from '../documents/read-conversation.ts'
import { getColumns } from '../io/columns.ts'
import { type Io, jsonLine, print, UsageError } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'
import { listTranscript } from '../view/transcript-text.ts'

interface BranchFlags {
  at?: string
  list?: boolean
  including?: boolean
  json?: boolean
}

export function branchCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--at <message>', 'the message: its number in --list, or its id')
    .option('--list', 'list the messages with their numbers and exit')
    .option('--including', 'also keep the message itself')
    .option('--json', "print the new document's name as JSON; with --list, one line of JSON per message")
    .action(async (file: string, flags: BranchFlags) => done(await branch(file, flags, io)))
}

async function branch(file: string, flags: BranchFlags, io: Io): Promise<number> {
  const { at, list = false, including = false, json = false } = flags
  if (list && at !== undefined) throw new UsageError('Use either --list or --at.')
  if (list) return listMessages(file, json, io)
  if (at === undefined) throw new UsageError('Choose a message with --at. To see their numbers, use --list.')
  const path = await branchDocument(file, at, { including })
  await print(io, json ? jsonLine({ file: path }) : `${path}\n`)
  return 0
}

async function listMessages(file: string, json: boolean, io: Io): Promise<number> {
  const messages = await readConversation(file, io)
  if (messages === undefined) return 1
  if (json) {
    for (const { number, message } of messages) {
      const { id, role, createdAt } = message
      await print(io, jsonLine({ number: number ?? null, id, role, createdAt }))
    }
    return 0
  }
  const look = { columns: getColumns(io.stdout), paint: createPaint(wantsColours(io, io.stdout)) }
  await print(io, listTranscript(messages, look))
  return 0
}
