import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A file with several names (hard links). */
export interface LinkedFile {
  /** Device and inode: the same under every name. */
  id: string
  links: bigint
}

export interface LinkedNames {
  counts: ReadonlyMap<string, bigint>
  /** False if the walk reached its limit. */
  isComplete: boolean
}

/** What a walk looks at. Names are relative to the root of the walk and separated by `/`. */
export interface LinkWalk {
  root: string
  /** Where it begins: a folder or file below the root, `''` for the root. */
  from: string
  isMatch(name: string): boolean
  mayHold(folder: string): boolean
}

/** How many entries to visit, at most, for one rule. */
const MAX_ENTRIES = 50_000

export async function readLinkedFile(path: string): Promise<LinkedFile | undefined> {
  try {
    const stats = await lstat(path, { bigint: true })
    if (!stats.isFile() || stats.nlink < 2n) return undefined
    return { id: `${stats.dev}:${stats.ino}`, links: stats.nlink }
  } catch {
    return undefined
  }
}

/** Finds the files with several names. Doesn't follow symbolic links: they lead to a file but aren't names of it. */
export async function findLinkedFiles(walks: readonly LinkWalk[]): Promise<LinkedNames> {
  const counts = new Map<string, bigint>()
  const seen = new Set<string>()
  let entries = 0
  for (const { root, from, isMatch, mayHold } of walks) {
    const folders = [from]
    const visit = async (name: string): Promise<void> => {
      const path = join(root, name)
      if (!isMatch(name) || seen.has(path)) return
      seen.add(path)
      const file = await readLinkedFile(path)
      if (file !== undefined) counts.set(file.id, (counts.get(file.id) ?? 0n) + 1n)
    }
    if (from !== '') await visit(from)
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
        if (++entries > MAX_ENTRIES) return { counts, isComplete: false }
        const name = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (entry.isFile()) await visit(name)
        else if (entry.isDirectory() && mayHold(name)) folders.push(name)
      }
    }
  }
  return { counts, isComplete: true }
}
