import { randomUUID, timingSafeEqual } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readBytes } from '../files/local-file.ts'
import { createWhole } from '../files/write-all.ts'
import { nodeDisk } from '../store/folder/disk.ts'
import { makeFolder, searchIndexPath } from '../store/folder/layout.ts'
import { signText } from '../store/seal.ts'
import type { IndexEntry } from './index-entry.ts'
import { SearchIndex } from './search-index.ts'

/** A larger index is neither read nor written. */
export const INDEX_BYTES: number = 256 * 1024 * 1024

const header = JSON.stringify({ argot: 'search', v: 1 })

/** Stores an index between processes. It contains nothing that can't be rebuilt. */
export interface IndexFile {
  /** Returns an empty index if there is none, if it is damaged, or if another user wrote it. */
  load(): Promise<SearchIndex>
  /** False if it could not be saved: the next process rebuilds it. */
  save(index: SearchIndex): Promise<boolean>
}

export const noIndexFile: IndexFile = { load: async () => new SearchIndex(), save: async () => false }

/**
 * The index `.chatmd/search/NAME.jsonl` of a folder, signed by this user. It is first written under another name. A
 * file torn by a power failure or written by another user has no valid signature, and is rebuilt.
 */
export function openIndexFile(folder: string, name: string, key: Uint8Array | undefined): IndexFile {
  if (key === undefined) return noIndexFile
  const path = searchIndexPath(join(folder, name), name)
  // The signature includes the path: an index copied from another folder is not valid here.
  const sign = (body: string): string => signText(key, JSON.stringify([path, body]))
  return {
    async load() {
      try {
        const text = (await readBytes(path, path, INDEX_BYTES)).toString()
        return new SearchIndex(readEntries(text, sign))
      } catch {
        return new SearchIndex()
      }
    },
    async save(index) {
      let draft: string | undefined
      try {
        const text = formatIndex(index, sign)
        if (text.length > INDEX_BYTES) return false
        const target = await makeFolder(nodeDisk, join(folder, name), 'search')
        draft = join(target, `${randomUUID()}.tmp`)
        createWhole(draft, text, { mode: 0o600 })
        renameSync(draft, path)
        return true
      } catch {
        if (draft !== undefined) rmSync(draft, { force: true })
        return false
      }
    },
  }
}

type Sign = (body: string) => string

function formatIndex(index: SearchIndex, sign: Sign): string {
  const lines = [header]
  for (const { path, stamp, title, wordCount, words } of index.entries())
    lines.push(JSON.stringify([path, stamp, title, wordCount, words]))
  const body = lines.join('\n')
  return `${body}\n${sign(body)}\n`
}

function readEntries(text: string, sign: Sign): IndexEntry[] {
  const end = text.lastIndexOf('\n', text.length - 2)
  const body = text.slice(0, end)
  const [signature, expected] = [Buffer.from(text.slice(end + 1).trim()), Buffer.from(sign(body))]
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return []
  const [first, ...lines] = body.split('\n')
  return first === header ? lines.map(readEntry) : []
}

function readEntry(line: string): IndexEntry {
  const [path, stamp, title, wordCount, words] = JSON.parse(line) as [string, string, string, number, string]
  return { path, stamp, title, wordCount, words }
}
