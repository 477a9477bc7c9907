import type { DocumentEntry } from '@argot/server/api'

export type DocumentRow =
  | { kind: 'heading'; key: 'pinned' | 'others' }
  | { kind: 'folder'; key: string; folder: string; count: number; isOpen: boolean }
  | DocumentLine

export interface DocumentLine {
  kind: 'document'
  key: string
  entry: DocumentEntry
  /** How far it is indented: below a folder, or below the document it is a branch of. */
  depth: number
  origin: DocumentEntry | undefined
  /** It is listed below its origin. */
  isBranch: boolean
}

export interface Arrangement {
  pinned: readonly string[]
  closed: readonly string[]
}

/** Branches of branches are indented no further than this. */
const DEEPEST = 3

/**
 * The list in reading order: pinned documents, then those outside folders, then each folder. A branch follows the
 * document it came from, wherever that is. Within each group, the order stays.
 */
export function arrangeDocuments(list: readonly DocumentEntry[], { pinned, closed }: Arrangement): DocumentRow[] {
  const byPath = new Map(list.map(entry => [entry.path, entry]))
  const branches = new Map<string, DocumentEntry[]>()
  const roots: DocumentEntry[] = []
  for (const entry of list) {
    const origin = findOrigin(entry, byPath)
    const isRoot = origin === undefined || pinned.includes(entry.path) || isInCircle(entry, byPath)
    if (isRoot) roots.push(entry)
    else branches.set(origin.path, [...(branches.get(origin.path) ?? []), entry])
  }
  const rows: DocumentRow[] = []
  const add = (entry: DocumentEntry, depth: number, isBranch = false): void => {
    const origin = findOrigin(entry, byPath)
    rows.push({ kind: 'document', key: entry.path, entry, depth: Math.min(depth, DEEPEST), origin, isBranch })
    for (const branch of branches.get(entry.path) ?? []) add(branch, depth + 1, true)
  }
  const pinnedEntries = pinned.flatMap(path => byPath.get(path) ?? [])
  if (pinnedEntries.length > 0) rows.push({ kind: 'heading', key: 'pinned' })
  for (const entry of pinnedEntries) add(entry, 0)
  const pinnedPaths = new Set(pinned)
  const folders = new Map<string, DocumentEntry[]>([['', []]])
  for (const entry of roots) {
    if (pinnedPaths.has(entry.path)) continue
    const folder = folderName(entry.path)
    const others = folders.get(folder)
    if (others === undefined) folders.set(folder, [entry])
    else others.push(entry)
  }
  const loose = folders.get('')!
  if (pinnedEntries.length > 0 && loose.length > 0) rows.push({ kind: 'heading', key: 'others' })
  for (const [folder, entries] of folders) {
    const isOpen = folder === '' || !closed.includes(folder)
    if (folder !== '') rows.push({ kind: 'folder', key: `folder ${folder}`, folder, count: entries.length, isOpen })
    if (isOpen) for (const entry of entries) add(entry, folder === '' ? 0 : 1)
  }
  return rows
}

/** `notes/2026` for `notes/2026/plan.chatmd`; empty for a document outside folders. */
export function folderName(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '' : path.slice(0, slash)
}

/** `plan` for `notes/plan.chatmd`. */
export function fileStem(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.chatmd$/, '')
}

/** The document that this one is a branch of, if it still exists: from the server, or by the name `NAME.N.chatmd`. */
function findOrigin(
  { path, branchOf }: DocumentEntry,
  byPath: ReadonlyMap<string, DocumentEntry>,
): DocumentEntry | undefined {
  const name = branchOf ?? path.replace(/\.\d+\.chatmd$/, '.chatmd')
  return name === path ? undefined : byPath.get(name)
}

/** Records may be wrong: one that leads back to its own document is not followed. */
function isInCircle(entry: DocumentEntry, byPath: ReadonlyMap<string, DocumentEntry>): boolean {
  const seen = new Set<string>()
  for (let at: DocumentEntry | undefined = entry; at !== undefined; at = findOrigin(at, byPath)) {
    if (seen.has(at.path)) return true
    seen.add(at.path)
  }
  return false
}
