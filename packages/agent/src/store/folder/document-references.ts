import { closeSync, lstatSync, openSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findRealFolder, listFolder } from './layout.ts'

export interface StateReferences {
  payloads: Set<string>
  /** Hashes of sources, and keys of agents' answers. */
  hashes: Set<string>
}

/** Files without a document's name are read up to this size: people may keep a document under any name. */
const LARGEST_OTHER_BYTES = 16 * 1024 * 1024
const PIECE_BYTES = 1024 * 1024
/** No reference is longer than this. */
const OVERLAP_BYTES = 512

const payloadPattern = /\.chatmd\/([0-9]{1,15}\.[a-z-]{1,40}\.[\w-]{1,255}\.json)/g
const hashPattern = /\b[0-9a-f]{64}\b/g

export function findReferences(document: string, index: string): StateReferences {
  return { payloads: matchesIn(document, payloadPattern), hashes: matchesIn(index, hashPattern) }
}

/** The references of everything else in a document's folder: other files, and all documents in the trash except one. */
export function otherReferences(file: string, exceptId: string): StateReferences {
  const references: StateReferences = { payloads: new Set(), hashes: new Set() }
  const add = (set: Set<string>, path: string, pattern: RegExp): void => {
    for (const match of matchesIn(path, pattern)) set.add(match)
  }
  const folder = dirname(file)
  for (const name of listFolder(folder)) {
    if (isCandidate(join(folder, name))) add(references.payloads, join(folder, name), payloadPattern)
  }
  const sources = findRealFolder(file, 'sources')
  for (const name of sources === undefined ? [] : listFolder(sources)) {
    if (name.endsWith('.json')) add(references.hashes, join(sources!, name), hashPattern)
  }
  const trash = findRealFolder(file, 'trash')
  for (const id of trash === undefined ? [] : listFolder(trash)) {
    if (id === exceptId) continue
    const documents = join(trash!, id, 'document')
    for (const name of isFolder(documents) ? listFolder(documents) : []) {
      add(references.payloads, join(documents, name), payloadPattern)
    }
    add(references.hashes, join(trash!, id, 'sources.json'), hashPattern)
  }
  return references
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function isCandidate(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) return false
  return stats.size <= LARGEST_OTHER_BYTES || basename(path).endsWith('.chatmd')
}

/** The matches in a file of any length; none if it doesn't exist. The names are ASCII, so matching bytes is enough. */
function matchesIn(path: string, pattern: RegExp): Set<string> {
  const matches = new Set<string>()
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return matches
  const fd = openSync(path, 'r')
  try {
    const piece = Buffer.alloc(PIECE_BYTES)
    for (let position = 0; ; ) {
      const length = readSync(fd, piece, 0, PIECE_BYTES, position)
      for (const match of piece.toString('latin1', 0, length).matchAll(pattern)) matches.add(match[1] ?? match[0])
      if (length < PIECE_BYTES) return matches
      position += length - OVERLAP_BYTES
    }
  } finally {
    closeSync(fd)
  }
}
