import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Io, tell } from '../io/io.ts'
import { quoteWord } from '../options/repeat-flags.ts'
import { writeNew } from './ask.ts'

const document = `<!-- A prompt and its transcript in one file. \`argot run\` answers the last message and appends what happens. -->
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
  "approve": "ask",
  "maxSteps": 50
}
`

/** `argot init`: a first document and the settings beside it. Nothing is overwritten. */
export function initCommand(command: Command, io: Io, done: (status: number) => void): void {
  command.action(async (folder: string | undefined) => done(await init(folder ?? '.', io)))
}

async function init(folder: string, io: Io): Promise<number> {
  await mkdir(folder, { recursive: true })
  const [chat, settings] = [join(folder, 'chat.chatmd'), join(folder, 'argot.config.json')]
  await writeNew(chat, document)
  await writeNew(settings, config)
  await tell(io, `Wrote ${chat} and ${settings}. Run it: argot run ${quoteWord(chat)}\n`)
  return 0
}
