import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from './store.ts'

export interface DatedDocument {
  path: string
  /** When it last changed, in milliseconds. */
  at: number
  stamp: string
}

/** A store's documents, newest first. Reads none of them. */
export async function newestDocuments(store: Store): Promise<DatedDocument[]> {
  const date = await documentDates(store)
  const documents = (await store.documents.list()).flatMap(path => date(path) ?? [])
  return documents.sort((a, b) => b.at - a.at || (a.path < b.path ? 1 : -1))
}

/** Returns a function that dates a document, or undefined if it doesn't exist. With `only`, it dates just that one. */
export async function documentDates(
  { root, documents }: Store,
  only?: string,
): Promise<(path: string) => DatedDocument | undefined> {
  const stamps = await documents.stamps?.(only)
  return path => {
    const stamp = stamps?.get(path)
    if (stamp !== undefined) return { path, at: stamp.at, stamp: stamp.version }
    const file = root === undefined ? undefined : lstatSync(join(root, path), { throwIfNoEntry: false })
    if (file !== undefined) return { path, at: file.mtimeMs, stamp: `${file.size} ${file.mtimeMs}` }
    return root === undefined && stamps === undefined ? { path, at: 0, stamp: '' } : undefined
  }
}
