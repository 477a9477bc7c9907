import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readBytes } from './local-file.ts'
import { protectedNameIn } from './protected-names.ts'

/** How deep below a root, and among how many entries, protected names are looked for. */
const DEPTH = 5
const ENTRIES = 10_000
/** A `.git` file is not longer. */
const LINK_BYTES = 8192

/** What is found in the roots. */
export interface Found {
  /** What has a protected name, and the folders that `.git` files name. */
  names: Set<string>
  /** Unix sockets. */
  sockets: string[]
}

/** Looks through the upper folders of the roots, the nearest first; `node_modules` is passed over. */
export async function findProtected(roots: readonly string[]): Promise<Found> {
  const found: Found = { names: new Set(), sockets: [] }
  let left = ENTRIES
  let folders = [...roots]
  for (let depth = 0; depth < DEPTH; depth++) {
    const next: string[] = []
    for (const folder of folders) {
      if (left <= 0) return found
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      // The name of a root itself protects nothing in it: somebody asked for it.
      const parent = depth === 0 ? '' : basename(folder)
      next.push(...(await lookAt(entries.slice(0, left), folder, parent, found)))
      left -= entries.length
    }
    folders = next
  }
  return found
}

/** Adds what is protected among the entries of a folder to `found`, and gives the folders to look through next. */
async function lookAt(entries: readonly Dirent[], folder: string, parent: string, found: Found): Promise<string[]> {
  const folders: string[] = []
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (protectedNameIn(join(parent, entry.name)) !== undefined) {
      for (const one of await protectedBy(entry, path)) found.names.add(one)
    } else if (entry.isSocket()) found.sockets.push(path)
    else if (entry.isDirectory() && entry.name !== 'node_modules') folders.push(path)
  }
  return folders
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
