import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readBytes } from './local-file.ts'
import { protectedNameIn } from './protected-names.ts'

/** How deep below a root, and among how many entries, to look for protected names. */
const DEPTH = 32
export const SEARCHED_ENTRIES = 50_000
const PARALLEL_READS = 16
/** No `.git` file is longer. */
const LINK_BYTES = 8192

export interface ProtectedPaths {
  /** Entries with a protected name, folders that `.git` files point to, and git repositories whatever their name. */
  names: Set<string>
  sockets: string[]
  /** Every folder was read. If false, nothing is known about deeper or further folders. */
  isComplete: boolean
}

interface FolderEntries {
  folder: string
  entries: readonly Dirent[]
}

/** Searches the roots, the nearest folders first. Skips `node_modules`. */
export async function findProtected(roots: readonly string[]): Promise<ProtectedPaths> {
  const protection: ProtectedPaths = { names: new Set(), sockets: [], isComplete: true }
  let left = SEARCHED_ENTRIES
  let folders = [...roots]
  for (let depth = 0; folders.length > 0; depth++) {
    if (depth === DEPTH) return { ...protection, isComplete: false }
    const next: string[] = []
    for (let at = 0; at < folders.length; at += PARALLEL_READS) {
      if (left <= 0) return { ...protection, isComplete: false }
      for (const listing of await Promise.all(folders.slice(at, at + PARALLEL_READS).map(list))) {
        left -= listing.entries.length
        // A root's own name doesn't protect its content: the user chose it.
        next.push(...(await searchFolder(listing, depth === 0, protection)))
      }
    }
    folders = next
  }
  return protection
}

async function list(folder: string): Promise<FolderEntries> {
  return { folder, entries: await readdir(folder, { withFileTypes: true }).catch(() => []) }
}

/** Adds the folder's protected entries to `protection`, and returns the folders to search next. */
async function searchFolder(
  { folder, entries }: FolderEntries,
  isRoot: boolean,
  protection: ProtectedPaths,
): Promise<string[]> {
  if (isRepository(entries)) {
    if (!isRoot) {
      protection.names.add(folder)
      return []
    }
    for (const { name } of entries) if (OBEYED_IN_REPOSITORY.has(name)) protection.names.add(join(folder, name))
  }
  const parent = isRoot ? '' : basename(folder)
  const folders: string[] = []
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (protectedNameIn(join(parent, entry.name)) !== undefined) {
      for (const one of await protectedBy(entry, path)) protection.names.add(one)
    } else if (entry.isSocket()) protection.sockets.push(path)
    else if (entry.isDirectory() && entry.name !== 'node_modules' && !protection.names.has(path)) folders.push(path)
  }
  return folders
}

/** What git obeys in a repository. If a root itself is a repository, these are protected and the rest stays open. */
const OBEYED_IN_REPOSITORY: ReadonlySet<string> = new Set(['HEAD', 'commondir', 'config', 'config.worktree', 'hooks'])

/** Whether git uses a folder as its own, as in a bare repository. Keep in step with `explainProtection`. */
function isRepository(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name))
  return names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')))
}

async function protectedBy(entry: Dirent, path: string): Promise<string[]> {
  return entry.name === '.git' && entry.isFile() ? [path, ...(await gitFolders(path))] : [path]
}

/** The folders that a `.git` file points to: that of the work tree, and the one shared with other work trees. */
export async function gitFolders(file: string): Promise<string[]> {
  const text = await readStart(file)
  const gitFolder = /^gitdir:[ \t]*(.+)$/m.exec(text)?.[1]?.trim()
  if (gitFolder === undefined) return []
  const folder = resolve(dirname(file), gitFolder)
  const common = (await readStart(join(folder, 'commondir'))).trim()
  return common === '' ? [folder] : [folder, resolve(folder, common)]
}

async function readStart(file: string): Promise<string> {
  const bytes = await readBytes(file, file, LINK_BYTES).catch(() => undefined)
  return bytes?.toString('utf8') ?? ''
}
