import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { inFolder } from '../../files/open-folder.ts'

/** Something in a folder. */
export interface FolderEntry {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
}

export interface Listing {
  /** Sorted so that a walk through them in this order gives sorted paths. */
  entries: FolderEntry[]
  /** There are more entries than were read. */
  more: boolean
}

/** What is in a folder, by its real path; at most `limit` entries are read. */
export async function listFolder(folder: string, limit: number): Promise<Listing> {
  const entries: FolderEntry[] = []
  let more = false
  // If a link is put in the place of the folder, the names would be those of another one.
  await inFolder(folder, async base => {
    for await (const entry of await opendir(base)) {
      if (entries.length === limit) {
        more = true
        break
      }
      const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other'
      entries.push({ name: entry.name, kind })
    }
  })
  return { entries: entries.sort(byPath), more }
}

function byPath(a: FolderEntry, b: FolderEntry): number {
  const [first, second] = [sortName(a), sortName(b)]
  return first < second ? -1 : first > second ? 1 : 0
}

function sortName({ name, kind }: FolderEntry): string {
  return kind === 'folder' ? `${name}/` : name
}

/** How long a walk works before others get their turn. */
const TURN_MS = 10

export interface WalkOptions {
  /** Whether to look into a folder, by its path from the start. */
  enter: (path: string, name: string) => boolean
  signal: AbortSignal
  /** How many entries are looked at. */
  limit: number
}

/** A walk through a folder. */
export interface Walk {
  /** Files and links below the folder, in the order of their paths, which are relative to it. Links are not followed. */
  files: AsyncIterable<WalkedFile>
  /** What could not be looked at, as sentences; complete when the walk is over. */
  notices: () => string[]
}

export interface WalkedFile {
  path: string
  real: string
  link: boolean
}

/** Walks through a folder, given by its real path. A folder that cannot be read is passed over. */
export function walkFolder(start: string, { enter, signal, limit }: WalkOptions): Walk {
  let seen = 0
  let unreadable = 0
  let paused = performance.now()

  async function* visit(folder: string, path: string): AsyncGenerator<WalkedFile> {
    signal.throwIfAborted()
    let listing: Listing
    try {
      listing = await listFolder(folder, limit - seen)
    } catch {
      unreadable++
      return
    }
    seen += listing.entries.length + (listing.more ? 1 : 0)
    for (const { name, kind } of listing.entries) {
      // Whoever looks at the files may take his time: others get their turn, and a stop is heard.
      if (performance.now() - paused > TURN_MS) {
        await setImmediate()
        paused = performance.now()
      }
      signal.throwIfAborted()
      const inner = path === '' ? name : `${path}/${name}`
      const real = join(folder, name)
      if (kind === 'file' || kind === 'link') yield { path: inner, real, link: kind === 'link' }
      else if (kind === 'folder' && seen <= limit && enter(inner, name)) yield* visit(real, inner)
    }
  }

  return {
    files: visit(start, ''),
    notices: () => [
      ...(seen > limit ? [`The search ended after ${limit} files and folders; name a smaller folder.`] : []),
      ...(unreadable > 0 ? [`${unreadable} ${unreadable === 1 ? 'folder' : 'folders'} could not be read.`] : []),
    ],
  }
}
