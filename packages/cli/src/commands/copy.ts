import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { findConfigFolder, makeStateKey } from '@argot/agent/internal'
import { postgresStore } from '@argot/postgres'
import { type CopiedDocument, copyIn, copyOut, isPostgresUrl } from '@argot/postgres/internal'
import type { Command } from 'commander'
import { readFolder } from '../documents/folder-paths.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { safeText } from '../io/safe-text.ts'

interface CopyFlags {
  json?: boolean
  quiet?: boolean
}

/** Instead of an address: the one in the `ARGOT_STORE` variable. */
const fromEnv = 'env:ARGOT_STORE'

export function copyCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--json', 'print what was copied as JSON')
    .option('-q, --quiet', 'print only problems')
    .addHelpText(
      'after',
      `
One of the two is a folder, the other a database: postgres://user@host/name, or
${fromEnv}, which keeps the password out of the process list. Documents are
copied with their logs, answers, payloads, sources, attachments and sidecars.
Nothing is overwritten. To continue an interrupted copy, run it again. A
document with an active run is skipped.`,
    )
    .action(async (from: string, to: string, flags: CopyFlags) => done(await copy(from, to, flags, io)))
}

async function copy(from: string, to: string, flags: CopyFlags, io: Io): Promise<number> {
  const [source, target] = [readAddress(from, io), readAddress(to, io)]
  if (source.isDatabase === target.isDatabase) throw new UsageError('Use one folder and one database.')
  const database = source.isDatabase ? source.name : target.name
  const folder = resolve(io.cwd(), source.isDatabase ? target.name : source.name)
  if (source.isDatabase) await mkdir(folder, { recursive: true })
  const root = await readFolder(folder)
  const configFolder = findConfigFolder({ env: io.env })
  const key = await makeStateKey(configFolder, io.env)
  const store = postgresStore(database)
  try {
    await store.ready()
    const progress = (one: CopiedDocument, done: number, total: number): void => {
      if (flags.quiet !== true && flags.json !== true) void tell(io, `${done} of ${total}  ${describe(one)}\n`)
    }
    const options = { root, key, configFolder, progress }
    const documents = await (source.isDatabase ? copyOut(store, options) : copyIn(store, options))
    return await report(documents, flags, io)
  } finally {
    await store.close()
  }
}

function readAddress(name: string, io: Io): { name: string; isDatabase: boolean } {
  if (name !== fromEnv) return { name, isDatabase: isPostgresUrl(name) }
  const address = io.env.ARGOT_STORE ?? ''
  if (!isPostgresUrl(address)) throw new UsageError('$ARGOT_STORE is not a database address.')
  return { name: address, isDatabase: true }
}

const words: Readonly<Record<CopiedDocument['result'], string>> = {
  copied: 'copied',
  already: 'already there',
  running: 'skipped: a run is using it; stop the run and copy again',
  taken: 'skipped: another document has its path',
  unfit:
    'skipped: a folder would hide this path; a part of it starts with a dot, is empty, is too long, or is "node_modules"',
}

function describe({ path, result }: CopiedDocument): string {
  return `${safeText(path)}  ${words[result]}`
}

async function report(copied: readonly CopiedDocument[], flags: CopyFlags, io: Io): Promise<number> {
  const skipped = copied.filter(({ result }) => result !== 'copied' && result !== 'already')
  const withQuestions = copied.filter(({ askedAgain }) => askedAgain.length > 0)
  if (flags.json === true) await print(io, jsonLine({ documents: copied }))
  else {
    if (flags.quiet === true) for (const one of skipped) await tell(io, `${describe(one)}\n`)
    for (const { path } of withQuestions) {
      await tell(io, `${safeText(path)}: its questions will be asked again, because the target has a different key.\n`)
    }
    const count = copied.filter(({ result }) => result === 'copied').length
    if (flags.quiet !== true) await tell(io, `${count} copied, ${skipped.length} skipped.\n`)
  }
  return skipped.length > 0 ? 1 : 0
}
