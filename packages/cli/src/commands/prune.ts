import { resolve } from 'node:path'
import {
  describeBytes,
  durationForm,
  findConfigFolder,
  type Pruned,
  type PrunedItem,
  type PruneOptions,
  parseDuration,
  pruneFolder,
} from '@argot/agent/internal'
import { forgetErased } from '@argot/server/internal'
import type { Command } from 'commander'
import { readFolder, serverStateFolder } from '../documents/folder-paths.ts'
import { openStore, storeAddress } from '../documents/store-address.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { safeText } from '../io/safe-text.ts'

interface PruneFlags {
  olderThan: string
  dryRun?: boolean
  state?: string
  store?: string
  json?: boolean
  quiet?: boolean
}

export function pruneCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--older-than <time>', 'the minimum age, such as 12h, 30d or 4w', '30d')
    .option('--dry-run', 'list what would be deleted and exit')
    .option('--state <folder>', "the server's state folder, if you started it with --state")
    .option('--store <address>', 'prune a database instead, such as postgres://user@host/name (default: $ARGOT_STORE)')
    .option('--json', 'print the result as JSON')
    .option('-q, --quiet', 'print only errors')
    .addHelpText(
      'after',
      `
Deletes documents that have been in the trash for longer, with everything that
was stored for them, the logs and posts of runs that ended longer ago, and the
file versions that older turns kept for undo. Never touches other documents,
their payloads, or runs that are open or waiting for an answer.`,
    )
    .action(async (folder: string | undefined, flags: PruneFlags) => done(await prune(folder, flags, io)))
}

async function prune(folder: string | undefined, flags: PruneFlags, io: Io): Promise<number> {
  const { dryRun = false } = flags
  const olderThanMs = parseDuration(flags.olderThan)
  if (olderThanMs === undefined) {
    throw new UsageError(
      `"${flags.olderThan}" is not a duration. --older-than takes ${durationForm.replaceAll('`', '')}.`,
    )
  }
  const address = storeAddress(folder === undefined ? flags.store : (flags.store ?? ''), io)
  if (address !== undefined && folder !== undefined) throw new UsageError('Use a folder or --store, not both.')
  if (address !== undefined) return pruneStore(address, { olderThanMs, dryRun }, flags, io)
  const root = await readFolder(resolve(io.cwd(), folder ?? '.'))
  const pruned = await pruneFolder(root, { olderThanMs, dryRun })
  const erased = pruned.items.flatMap(({ kind, path }) => (kind === 'document' ? [path] : []))
  const state =
    flags.state === undefined
      ? serverStateFolder(findConfigFolder({ env: io.env }), root)
      : resolve(io.cwd(), flags.state)
  const isForgotten = dryRun || (await forgetErased(state, erased))
  await show(pruned, flags, io)
  if (!isForgotten)
    await tell(io, 'A server is using this folder. It removes the deleted documents from its journal within a month.\n')
  for (const { path, message } of pruned.failures) await tell(io, `argot: ${safeText(path)}: ${safeText(message)}\n`)
  return pruned.failures.length > 0 ? 1 : 0
}

async function pruneStore(address: string, options: PruneOptions, flags: PruneFlags, io: Io): Promise<number> {
  const { store } = await openStore(address, { as: 'worker', configFolder: findConfigFolder({ env: io.env }), io })
  try {
    await show((await store.prune?.(options)) ?? { items: [], failures: [] }, flags, io)
    return 0
  } finally {
    await store.close()
  }
}

async function show({ items }: Pruned, { dryRun = false, json, quiet }: PruneFlags, io: Io): Promise<void> {
  const bytes = items.reduce((sum, item) => sum + item.bytes, 0)
  if (json === true) return print(io, jsonLine({ dryRun, items, bytes }))
  if (quiet === true) return
  for (const item of items) await print(io, `${describeItem(item)}\n`)
  const count = items.length === 1 ? 'One item' : `${items.length} items`
  await tell(io, `${count}, ${describeBytes(bytes)}${dryRun ? ' would be removed' : ' removed'}.\n`)
}

const kinds: Readonly<Record<PrunedItem['kind'], string>> = { document: 'trash', run: 'run  ', versions: 'undo ' }

function describeItem({ kind, path, run, bytes }: PrunedItem): string {
  const name = [path, run ?? ''].map(text => safeText(text).replaceAll('\n', '\u240a')).join(' ')
  return `${kinds[kind]}  ${name.trim()}  ${describeBytes(bytes)}`
}
