import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createWhole, makeFolders } from '@argot/agent/internal'
import type { Command } from 'commander'
import { type Io, tell, UsageError } from '../io/io.ts'
import { quoteWord } from '../options/repeat-flags.ts'

const document = `<!-- A prompt and its transcript in one file. \`argot run\` answers the last message and appends the answer. -->
<tool name="read_dir"/>
<tool name="read_file"/>

<system>
Be brief. Say which files you have looked at.
</system>

<user>
What is in this folder?
</user>
`

const config = `{
  "maxSteps": 50
}
`

/** Overwrites nothing. */
export function initCommand(command: Command, io: Io, done: (status: number) => void): void {
  command.action(async (folder: string | undefined) => done(await init(folder ?? '.', io)))
}

async function init(folder: string, io: Io): Promise<number> {
  const [chat, settings] = [join(folder, 'chat.chatmd'), join(folder, 'argot.config.json')]
  for (const file of [chat, settings]) if (existsSync(file)) throw existsError(file)
  makeFolders(folder)
  await writeNew(chat, document)
  await writeNew(settings, config)
  await tell(io, `Wrote ${chat} and ${settings}. Run it: argot run ${quoteWord(chat)}\n`)
  return 0
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    createWhole(file, text)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? existsError(file) : error
  }
}

function existsError(file: string): UsageError {
  return new UsageError(`${file} already exists. Remove it, or choose another folder.`)
}
