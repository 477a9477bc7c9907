import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
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
  const found = new Set<string>()
  const sockets: string[] = []
  let left = ENTRIES
  let folders = [...roots]
  for (let depth = 0; depth < DEPTH && folders.length > 0 && left > 0; depth++) {
    const next: string[] = []
    for (const folder of folders) {
      if (left <= 0) break
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      for (const entry of entries.slice(0, left)) {
        const path = join(folder, entry.name)
        if (protectedNameIn(entry.name) !== undefined) for (const one of await protectedBy(entry, path)) found.add(one)
        else if (entry.isSocket()) sockets.push(path)
        else if (entry.isDirectory() && entry.name !== 'node_modules') next.push(path)
      }
      left -= entries.length
    }
    folders = next
  }
  return { names: found, sockets }
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
