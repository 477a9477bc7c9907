import { basename } from 'node:path'
import type { Command } from 'commander'
import { readConversation } from '../documents/read-conversation.ts'
import { getColumns } from '../io/columns.ts'
import { type Io, jsonLine, print } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'
import { describeTranscript } from '../view/transcript-text.ts'

interface ShowFlags {
  json?: boolean
}

export function showCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--json', 'print each message as a line of JSON, with its number')
    .addHelpText(
      'after',
      '\nTimes, tokens, cost and ids come from .chatmd/sidecars. Without a sidecar, you\nsee what the document itself contains. Nothing is run or fetched.',
    )
    .action(async (file: string, flags: ShowFlags) => done(await show(file, flags, io)))
}

async function show(file: string, { json = false }: ShowFlags, io: Io): Promise<number> {
  const messages = await readConversation(file, io)
  if (messages === undefined) return 1
  if (json) {
    for (const { number, message } of messages) await print(io, jsonLine({ number: number ?? null, message }))
    return 0
  }
  const look = { columns: getColumns(io.stdout), paint: createPaint(wantsColours(io, io.stdout)) }
  await print(io, describeTranscript(basename(file), messages, look))
  return 0
}
