import { resolve } from 'node:path'
import { folderStore } from '@argot/agent'
import {
  type DocumentHit,
  type DocumentHits,
  DocumentSearch,
  findConfigFolder,
  makeStateKey,
  type Snippet,
} from '@argot/agent/internal'
import type { Command } from 'commander'
import { readFolder } from '../documents/folder-paths.ts'
import { openStore, storeAddress } from '../documents/store-address.ts'
import { type Io, jsonLine, print, tell, UsageError } from '../io/io.ts'
import { createPaint, type Paint, wantsColours } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'

interface SearchFlags {
  dir?: string
  store?: string
  limit: string
  json?: boolean
}

export function searchCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--dir <folder>', 'the folder with the documents (default: the current folder)')
    .option('--store <address>', 'search a database instead, such as postgres://user@host/name (default: $ARGOT_STORE)')
    .option('-n, --limit <number>', 'show at most this many documents, up to 1000', '20')
    .option('--json', 'print each document as a line of JSON')
    .addHelpText(
      'after',
      `
Shows the best matches first: title, document, message number, and the words
around the match. Case and accents are ignored, and a word also matches longer
words that start with it. If no document contains all words, documents with some
of them are shown. The index is stored in the folder's .chatmd/search and is
updated before each search.`,
    )
    .action(async (words: string[], flags: SearchFlags) => done(await search(words.join(' '), flags, io)))
}

async function search(query: string, flags: SearchFlags, io: Io): Promise<number> {
  if (!/[\p{L}\p{N}]/u.test(query)) throw new UsageError('Enter at least one word to search for.')
  if (query.length > 1000) throw new UsageError('Use fewer words. A search can have up to 1000 characters.')
  const limit = Number(flags.limit)
  if (!/^\d+$/.test(flags.limit) || limit < 1 || limit > 1000)
    throw new UsageError('--limit must be a whole number from 1 to 1000.')
  const address = storeAddress(flags.dir === undefined ? flags.store : (flags.store ?? ''), io)
  if (address !== undefined && flags.dir !== undefined) throw new UsageError('Use --dir or --store, not both.')
  const configFolder = findConfigFolder({ env: io.env })
  if (address === undefined) {
    const root = await readFolder(resolve(io.cwd(), flags.dir ?? '.'))
    const search = new DocumentSearch(folderStore(root, { configFolder }), {
      key: () => makeStateKey(configFolder, io.env),
    })
    return show(await search.search(query, limit), flags, io)
  }
  const { store } = await openStore(address, { as: 'worker', configFolder, io })
  try {
    return await show(await new DocumentSearch(store).search(query, limit), flags, io)
  } finally {
    await store.close()
  }
}

async function show(
  { hits, total, hasAll, skipped }: DocumentHits,
  { json = false }: SearchFlags,
  io: Io,
): Promise<number> {
  if (json) for (const hit of hits) await print(io, jsonLine(hit))
  else {
    const paint = createPaint(wantsColours(io, io.stdout))
    if (!hasAll) await tell(io, 'No document contains all of these words. These contain some of them:\n')
    await print(io, hits.map(hit => describeHit(hit, paint)).join('\n'))
    if (total > hits.length) await tell(io, `${total} documents match. To see more, use --limit.\n`)
  }
  if (skipped > 0)
    await tell(
      io,
      `${skipped === 1 ? 'Skipped one document' : `Skipped ${skipped} documents`}: too large or unreadable.\n`,
    )
  if (hits.length === 0 && !json) await tell(io, 'Nothing found.\n')
  return hits.length > 0 ? 0 : 1
}

function describeHit({ path, title, message, role, snippet }: DocumentHit, paint: Paint): string {
  const place = message === 0 ? '' : ` · message ${message}, ${role}`
  return `${paint(oneLine(title), 'bold')}\n${oneLine(path)}${place}\n  ${describeSnippet(snippet, paint)}\n`
}

function describeSnippet({ text, marks }: Snippet, paint: Paint): string {
  let line = ''
  let at = 0
  for (const [start, end] of marks) {
    line += `${oneLine(text.slice(at, start))}${paint(oneLine(text.slice(start, end)), 'bold')}`
    at = end
  }
  return line + oneLine(text.slice(at))
}

function oneLine(text: string): string {
  return safeText(text).replaceAll('\n', '\u240a')
}
