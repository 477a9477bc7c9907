import { randomUUID } from 'node:crypto'
import { lstatSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ArgotError } from '@argot/core'
import type { DocumentFiles, FileKind } from '../store.ts'
import { createFile, type Disk, syncFolder, syncPath } from './disk.ts'
import { findRealFolder, isPayloadName, listFolder, makeFolder } from './layout.ts'

/** Larger files aren't written. If another program wrote one, it is treated as missing. */
const LARGEST_BYTES = 128 * 1024 * 1024

/** The files beside a document, in folders of `.chatmd`. Links aren't followed: others can write there. */
export function folderFiles(disk: Disk, file: string): DocumentFiles {
  const getFolders = (kind: FileKind): string[] => {
    if (kind === 'payloads') return []
    return kind === 'attachments' ? ['attachments', basename(file)] : [kind]
  }
  /** The index of a document's sources is named after it, because all documents in a folder share their sources. */
  const fileName = (kind: FileKind, name: string): string =>
    kind === 'sources' && name === 'index.json' ? `${basename(file)}.json` : checkFileName(kind, name)
  const findExisting = (kind: FileKind, name: string): string | undefined => {
    const folder = findRealFolder(file, ...getFolders(kind))
    const path = folder === undefined ? undefined : join(folder, fileName(kind, name))
    const stats = path === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false })
    return stats?.isFile() === true && stats.size <= LARGEST_BYTES ? path : undefined
  }
  return {
    async read(kind, name) {
      checkFileName(kind, name)
      try {
        const path = findExisting(kind, name)
        return path === undefined ? undefined : await readFile(path)
      } catch {
        return undefined
      }
    },
    async write(kind, name, content) {
      const target = fileName(kind, name)
      const folder = await makeFolder(disk, file, ...getFolders(kind))
      const bytes = Buffer.from(content as Uint8Array)
      if (bytes.length > LARGEST_BYTES) throw tooLarge(name, bytes.length)
      const before = findExisting(kind, name)
      if (before !== undefined && lstatSync(before).size === bytes.length && (await readFile(before)).equals(bytes))
        return
      const draft = join(folder, `.${randomUUID()}.tmp`)
      try {
        createFile(disk, draft, bytes)
        await syncPath(disk, draft)
        renameSync(draft, join(folder, target))
        await syncFolder(disk, folder)
      } finally {
        rmSync(draft, { force: true })
      }
    },
    async list(kind) {
      const folder = findRealFolder(file, ...getFolders(kind))
      const indexName = `${basename(file)}.json`
      const names =
        folder === undefined ? [] : listFolder(folder).filter(name => isName(kind, name) || name === indexName)
      return names.map(name => (kind === 'sources' && name === indexName ? 'index.json' : name)).sort()
    },
    async remove(kind, name) {
      const path = findExisting(kind, checkFileName(kind, name))
      if (path !== undefined) rmSync(path)
    },
  }
}

function tooLarge(name: string, size: number): ArgotError {
  const [has, most] = [size, LARGEST_BYTES].map(bytes => `${Math.ceil(bytes / 1024 / 1024)} MiB`)
  const message = `\`${name.slice(0, 200)}\` is ${has}. A file next to a document can be at most ${most}.`
  return new ArgotError('RUN_NOT_SAVED', message)
}

function isName(kind: FileKind, name: string): boolean {
  if (kind === 'payloads') return isPayloadName(`./.chatmd/${name}`)
  if (name === '' || name.startsWith('.') || /[\\/\0]/.test(name)) return false
  return kind !== 'sources' || !/\.json$/.test(name)
}

/** Throws for a name that could lead to another folder. */
function checkFileName(kind: FileKind, name: string): string {
  const isIndex = kind === 'sources' && name === 'index.json'
  if (!isIndex && !isName(kind, name)) throw new Error(`\`${name.slice(0, 200)}\` isn't a valid name for ${kind}.`)
  return name
}
