import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { inFolder } from '../../files/in-folder.ts'

export interface FolderEntry {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
}

export interface FolderListing {
  /** Sorted so that a walk in this order gives sorted paths. */
  entries: FolderEntry[]
  hasMore: boolean
}

/** Lists a folder given by its real path. Reads at most `limit` entries. */
export async function listFolder(folder: string, limit: number): Promise<FolderListing> {
  const entries: FolderEntry[] = []
  let hasMore = false
  // If a link replaced the folder, the names would be another folder's.
  await inFolder(folder, async base => {
    for await (const entry of await opendir(base)) {
      if (entries.length === limit) {
        hasMore = true
        break
      }
      const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other'
      entries.push({ name: entry.name, kind })
    }
  })
  return { entries: entries.sort(byPath), hasMore }
}

function byPath(a: FolderEntry, b: FolderEntry): number {
  const [first, second] = [sortName(a), sortName(b)]
  return first < second ? -1 : first > second ? 1 : 0
}

function sortName({ name, kind }: FolderEntry): string {
  return kind === 'folder' ? `${name}/` : name
}

/** How long a walk runs before it yields to the event loop. */
const TURN_MS = 10

export interface WalkOptions {
  enter: (path: string, name: string) => boolean
  signal: AbortSignal
  limit: number
}

export interface FolderWalk {
  /** Files and links below the folder, sorted by path; paths are relative to it. Links are not followed. */
  files: AsyncIterable<WalkedFile>
  /** Sentences about what could not be visited; complete when the walk is over. */
  notices: () => string[]
}

export interface WalkedFile {
  path: string
  real: string
  link: boolean
}

/** Walks through a folder given by its real path. Skips folders that can't be read. */
export function walkFolder(start: string, { enter, signal, limit }: WalkOptions): FolderWalk {
  let entryCount = 0
  let unreadable = 0
  let paused = performance.now()

  async function* visit(folder: string, path: string): AsyncGenerator<WalkedFile> {
    signal.throwIfAborted()
    let listing: FolderListing
    try {
      listing = await listFolder(folder, limit - entryCount)
    } catch {
      unreadable++
      return
    }
    entryCount += listing.entries.length + (listing.hasMore ? 1 : 0)
    for (const { name, kind } of listing.entries) {
      // The consumer may be slow: yield to the event loop, and notice an abort.
      if (performance.now() - paused > TURN_MS) {
        await setImmediate()
        paused = performance.now()
      }
      signal.throwIfAborted()
      const inner = path === '' ? name : `${path}/${name}`
      const real = join(folder, name)
      if (kind === 'file' || kind === 'link') yield { path: inner, real, link: kind === 'link' }
      else if (kind === 'folder' && entryCount <= limit && enter(inner, name)) yield* visit(real, inner)
    }
  }

  return {
    files: visit(start, ''),
    notices: () => [
      ...(entryCount > limit ? [`The search ended after ${limit} files and folders; name a smaller folder.`] : []),
      ...(unreadable > 0 ? [`${unreadable} ${unreadable === 1 ? 'folder' : 'folders'} could not be read.`] : []),
    ],
  }
}
