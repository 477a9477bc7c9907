import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readBytes } from './local-file.ts'
import { protectedNameIn } from './protected-names.ts'

/** How deep below a root, and among how many entries, protected names are looked for. */
const DEPTH = 32
export const SEARCHED_ENTRIES = 50_000
/** This many folders are read in parallel. */
const READS = 16
/** A `.git` file is not longer. */
const LINK_BYTES = 8192

/** The protected files and the sockets in the roots. */
export interface Found {
  /** Entries with a protected name, folders that `.git` files name, and git repositories whatever their name. */
  names: Set<string>
  /** Unix sockets. */
  sockets: string[]
  /** Every folder was read. If not, what is deeper or further is unknown. */
  isComplete: boolean
}

interface Listing {
  folder: string
  entries: readonly Dirent[]
}

/** Looks through the roots, the nearest folders first; `node_modules` is passed over. */
export async function findProtected(roots: readonly string[]): Promise<Found> {
  const protection: Found = { names: new Set(), sockets: [], isComplete: true }
  let left = SEARCHED_ENTRIES
  let folders = [...roots]
  for (let depth = 0; folders.length > 0; depth++) {
    if (depth === DEPTH) return { ...protection, isComplete: false }
    const next: string[] = []
    for (let at = 0; at < folders.length; at += READS) {
      if (left <= 0) return { ...protection, isComplete: false }
      for (const listing of await Promise.all(folders.slice(at, at + READS).map(list))) {
        left -= listing.entries.length
        // The name of a root itself protects nothing in it: somebody asked for it.
        next.push(...(await lookAt(listing, depth === 0, protection)))
      }
    }
    folders = next
  }
  return protection
}

async function list(folder: string): Promise<Listing> {
  return { folder, entries: await readdir(folder, { withFileTypes: true }).catch(() => []) }
}

/** Adds what is protected among the entries of a folder to `found`, and gives the folders to look through next. */
async function lookAt({ folder, entries }: Listing, isRoot: boolean, found: Found): Promise<string[]> {
  if (isRepository(entries)) {
    if (!isRoot) {
      found.names.add(folder)
      return []
    }
    for (const { name } of entries) if (OBEYED_IN_REPOSITORY.has(name)) found.names.add(join(folder, name))
  }
  const parent = isRoot ? '' : basename(folder)
  const folders: string[] = []
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (protectedNameIn(join(parent, entry.name)) !== undefined) {
      for (const one of await protectedBy(entry, path)) found.names.add(one)
    } else if (entry.isSocket()) found.sockets.push(path)
    else if (entry.isDirectory() && entry.name !== 'node_modules' && !found.names.has(path)) folders.push(path)
  }
  return folders
}

/** What git obeys in a folder that it takes for a repository. A root is one only in these; the rest stays open. */
const OBEYED_IN_REPOSITORY: ReadonlySet<string> = new Set(['HEAD', 'commondir', 'config', 'config.worktree', 'hooks'])

/** Whether git takes a folder for one of its own, as in a bare repository. `findGuard` follows the same rule. */
function isRepository(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name))
  return names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')))
}

/** What is protected with an entry of a protected name: itself, and the folders that a `.git` file names. */
async function protectedBy(entry: Dirent, path: string): Promise<string[]> {
  return entry.name === '.git' && entry.isFile() ? [path, ...(await gitFolders(path))] : [path]
}

/** The folders that a `.git` file names: that of the work tree, and the one that it shares with others. */
export async function gitFolders(file: string): Promise<string[]> {
  const text = await readStart(file)
  const named = /^gitdir:[ \t]*(.+)$/m.exec(text)?.[1]?.trim()
  if (named === undefined) return []
  const folder = resolve(dirname(file), named)
  const common = (await readStart(join(folder, 'commondir'))).trim()
  return common === '' ? [folder] : [folder, resolve(folder, common)]
}

async function readStart(file: string): Promise<string> {
  const bytes = await readBytes(file, file, LINK_BYTES).catch(() => undefined)
  return bytes?.toString('utf8') ?? ''
}
