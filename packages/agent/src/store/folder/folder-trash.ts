import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, lstatSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { ArgotError } from '@argot/core'
import { makeFolders } from '../../files/make-folders.ts'
import type { Trash, TrashedDocument } from '../store.ts'
import { copyBeside } from './copy-beside.ts'
import { type Disk, isSystemError, syncFolder } from './disk.ts'
import { findReferences, otherReferences, type StateReferences } from './document-references.ts'
import {
  documentFile,
  findRealFolder,
  listFolder,
  lockPath,
  makeFolder,
  ownPieces,
  pieceFolders,
  removeEmptyFolders,
  removeSearchIndexes,
  stateFolder,
} from './layout.ts'
import { takeLockFile } from './lock-file.ts'
import { outputExists, refuseExisting } from './output-exists.ts'

export interface TrashContext {
  disk: Disk
  root: string
  now: () => number
}

/** Processes that move documents of one folder to or from the trash take turns. No turn takes as long as this. */
const LONGEST_WAIT_MS = 30_000

const idPattern = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z-[0-9a-f]{8}$/

/** The removed documents of a folder store, each in a folder `.chatmd/trash/ID` beside its old place. */
export class FolderTrash implements Trash {
  readonly #context: TrashContext

  constructor(context: TrashContext) {
    this.#context = context
  }

  /** The caller must hold the document. */
  async remove(path: string): Promise<TrashedDocument> {
    const file = documentFile(this.#context.root, path)
    return this.#withLock(file, () => this.#remove(file))
  }

  /** After a crash, the document may be in the trash. */
  async removeAndErase(path: string): Promise<void> {
    const file = documentFile(this.#context.root, path)
    await this.#withLock(file, async () => this.#erase(file, (await this.#remove(file)).id))
  }

  async list(path?: string): Promise<TrashedDocument[]> {
    const { root } = this.#context
    const folders = path === undefined ? await listFolders(root) : [dirname(documentFile(root, path))]
    const entries = folders.flatMap(folder => this.#listFolder(folder))
    const selected = path === undefined ? entries : entries.filter(one => basename(one.path) === basename(path))
    return selected.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  }

  async restore({ path, id }: TrashedDocument): Promise<void> {
    const file = documentFile(this.#context.root, path)
    await this.#withLock(file, () => this.#restore(file, id))
  }

  /**
   * Renames a document by way of the trash: a trash entry moves as one, and the entry's document decides which path it
   * comes back to. The caller must hold the document.
   */
  async rename(path: string, to: string): Promise<void> {
    const file = documentFile(this.#context.root, path)
    const target = documentFile(this.#context.root, to)
    if (target === file) return
    refuseExisting(target)
    makeFolders(dirname(target))
    await makeFolder(this.#context.disk, target, 'locks')
    // No run begins at the target until this is done, so everything at that path comes from this document.
    const lock = await takeLockFile(lockPath(target), {})
    try {
      // Two renames between the same folders lock them in the same order.
      const [first, second] = [file, target].sort()
      const isMoved = dirname(file) !== dirname(target)
      const work = (): Promise<void> => this.#rename(file, target, isMoved)
      await this.#withLock(first!, () => (isMoved ? this.#withLock(second!, work) : work()))
    } finally {
      lock.release()
      removeEmptyFolders(target)
    }
  }

  async #rename(file: string, target: string, isMoved: boolean): Promise<void> {
    refuseExisting(target)
    const { id } = await this.#remove(file)
    const ownFiles = isMoved ? this.#ownFiles(file, id) : []
    try {
      if (isMoved) await this.#moveEntry(file, target, id)
      renameSync(this.#documentPath(target, id, file), this.#documentPath(target, id, target))
      await this.#restore(target, id)
    } catch (error) {
      await this.#undoRename(file, target, id)
      throw error
    }
    for (const one of ownFiles) rmSync(one, { force: true })
  }

  /** Moves an entry to another folder's trash, after copying all files that its document refers to. */
  async #moveEntry(file: string, target: string, id: string): Promise<void> {
    const entry = this.#findEntry(file, id)!
    for (const one of this.#referencedFiles(file, id)) await copyBeside(this.#context.disk, one, file, target)
    const trash = await makeFolder(this.#context.disk, target, 'trash')
    renameSync(entry, join(trash, id))
    for (const folder of [trash, dirname(entry)]) await this.#sync(folder)
    removeEmptyFolders(file, ['trash'])
  }

  async #undoRename(file: string, target: string, id: string): Promise<void> {
    const entry = this.#findEntry(target, id)
    if (entry !== undefined) {
      // It already has its new path, and only the sync failed.
      if (listFolder(join(entry, 'document')).length === 0) return
      for (const [piece, [folder, name]] of ownPieces(target)) {
        const place = findRealFolder(target, folder)
        if (place !== undefined) moveIfExists(join(place, name), join(entry, piece))
      }
      moveIfExists(this.#documentPath(target, id, target), this.#documentPath(target, id, file))
      if (dirname(file) !== dirname(target)) {
        renameSync(entry, join(await makeFolder(this.#context.disk, file, 'trash'), id))
      }
    }
    await this.#restore(file, id)
  }

  /** The path of a removed document in the trash beside `place`, if it had the name of `file`. */
  #documentPath(place: string, id: string, file: string): string {
    return join(stateFolder(place), 'trash', id, 'document', basename(file))
  }

  async #restore(file: string, id: string): Promise<void> {
    const entry = this.#findEntry(file, id)
    const document = entry === undefined ? undefined : join(entry, 'document', basename(file))
    if (document === undefined || !isFile(document)) throw notInTrash(relative(this.#context.root, file))
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw outputExists(file)
    // The document comes last: until then, it is in the trash and can be restored again.
    for (const [piece, [folder, name]] of ownPieces(file)) {
      const from = join(entry!, piece)
      if (lstatSync(from, { throwIfNoEntry: false }) === undefined) continue
      moveInto(from, join(await makeFolder(this.#context.disk, file, folder), name))
    }
    moveNew(document, file)
    await this.#sync(dirname(file))
    removeFolder(entry!)
    removeEmptyFolders(file, ['trash'])
  }

  async erase({ path, id }: TrashedDocument): Promise<void> {
    const file = documentFile(this.#context.root, path)
    if (this.#findEntry(file, id) !== undefined) await this.#withLock(file, () => this.#erase(file, id))
  }

  /** How many bytes erasing a document would free now. */
  measureSize({ path, id }: TrashedDocument): number {
    const file = documentFile(this.#context.root, path)
    const entry = this.#findEntry(file, id)
    return entry === undefined
      ? 0
      : [entry, ...this.#ownFiles(file, id)].reduce((sum, one) => sum + measureBytes(one), 0)
  }

  #ownFiles(file: string, id: string): string[] {
    const references = this.#references(file, id)
    if (references.payloads.size === 0 && references.hashes.size === 0) return []
    return this.#referencedFiles(file, id, otherReferences(file, id))
  }

  #references(file: string, id: string): StateReferences {
    const entry = this.#findEntry(file, id)!
    return findReferences(join(entry, 'document', basename(file)), join(entry, 'sources.json'))
  }

  /** The files outside the trash that a document refers to, except those that others refer to as well. */
  #referencedFiles(file: string, id: string, others?: StateReferences): string[] {
    const references = this.#references(file, id)
    const files = [...references.payloads]
      .filter(name => others?.payloads.has(name) !== true)
      .map(name => join(stateFolder(file), name))
    const hashes = [...references.hashes].filter(name => others?.hashes.has(name) !== true)
    const [sources, cache] = [findRealFolder(file, 'sources'), findRealFolder(file, 'cache')]
    if (sources !== undefined) files.push(...hashes.map(name => join(sources, name)))
    if (cache !== undefined) files.push(...hashes.map(name => join(cache, `${name}.json`)))
    return files.filter(isFile)
  }

  async #remove(file: string): Promise<TrashedDocument> {
    const { disk, root, now } = this.#context
    const at = now()
    const id = `${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}`
    const place = await makeFolder(disk, file, 'trash', id, 'document')
    const entry = dirname(place)
    try {
      // The document moves first: after a crash, restoring it finds everything else still in place.
      renameSync(file, join(place, basename(file)))
    } catch (error) {
      removeFolder(entry)
      throw error
    }
    for (const [piece, [folder, name]] of ownPieces(file)) {
      const pieceFolder = findRealFolder(file, folder)
      if (pieceFolder !== undefined) moveIfExists(join(pieceFolder, name), join(entry, piece))
    }
    for (const folder of [place, entry, dirname(file)]) await this.#sync(folder)
    removeEmptyFolders(file, pieceFolders)
    return { path: relative(root, file), id, at }
  }

  /** The document goes last: as long as it exists, it tells what else to erase. */
  async #erase(file: string, id: string): Promise<void> {
    const entry = this.#findEntry(file, id)
    if (entry === undefined) return
    for (const one of this.#ownFiles(file, id)) rmSync(one, { force: true })
    // What a crash left at its old place, unless another document is there now.
    if (!existsSync(file)) {
      for (const [folder, name] of ownPieces(file).values()) {
        const place = findRealFolder(file, folder)
        if (place !== undefined) rmSync(join(place, name), { recursive: true, force: true })
      }
      eraseDrafts(file)
    }
    // The next search rebuilds them without this document's words.
    removeSearchIndexes(this.#context.root, file)
    removeFolder(entry)
    await this.#sync(dirname(entry))
    removeEmptyFolders(file, ['trash', ...pieceFolders, 'cache'])
  }

  /** The folder of a removed document; undefined if it doesn't exist or is a link. */
  #findEntry(file: string, id: string): string | undefined {
    return idPattern.test(id) ? findRealFolder(file, 'trash', id) : undefined
  }

  #listFolder(folder: string): TrashedDocument[] {
    const trash = findRealFolder(join(folder, 'any'), 'trash')
    return (trash === undefined ? [] : listFolder(trash)).flatMap(id => {
      const match = idPattern.exec(id)
      const place = match === null ? undefined : findRealFolder(join(folder, 'any'), 'trash', id, 'document')
      const name = place === undefined ? undefined : listFolder(place)[0]
      if (match === null || name === undefined) return []
      const [, hour, minute, second, rest] = match
      const at = Date.parse(`${hour}:${minute}:${second}.${rest}Z`)
      return Number.isNaN(at) ? [] : [{ path: relative(this.#context.root, join(folder, name)), id, at }]
    })
  }

  async #withLock<Value>(file: string, work: () => Promise<Value>): Promise<Value> {
    const folder = await makeFolder(this.#context.disk, file, 'locks')
    const lock = await takeLockFile(join(folder, '.trash'), {
      wait: true,
      signal: AbortSignal.timeout(LONGEST_WAIT_MS),
    })
    try {
      return await work()
    } finally {
      lock.release()
      removeEmptyFolders(file)
    }
  }

  async #sync(folder: string): Promise<void> {
    await syncFolder(this.#context.disk, folder)
  }
}

/** All folders that may contain documents, including this one. Links aren't followed. */
export async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const folders = [folder]
  for (const entry of entries) {
    const isSearched = entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules'
    if (isSearched) folders.push(...(await listFolders(join(folder, entry.name))))
  }
  return folders
}

function notInTrash(path: string): ArgotError {
  return new ArgotError('RUN_NOT_IN_TRASH', `There is no \`${path.slice(0, 200)}\` in the trash.`)
}

function moveIfExists(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
  }
}

/** Moves a file or a folder to the place of a removed document. Files already in the target folder stay. */
function moveInto(from: string, to: string): void {
  const isMerged = lstatSync(to, { throwIfNoEntry: false })?.isDirectory() === true && lstatSync(from).isDirectory()
  if (!isMerged) return renameSync(from, to)
  for (const name of listFolder(from)) moveInto(join(from, name), join(to, name))
}

/** Moves a file to a free place. If two are moved there at the same time, only one succeeds. */
function moveNew(from: string, to: string): void {
  try {
    linkSync(from, to)
    unlinkSync(from)
  } catch (error) {
    if (isSystemError(error, 'EEXIST') || existsSync(to)) throw outputExists(to)
    // The disk doesn't support hard links.
    renameSync(from, to)
  }
}

function measureBytes(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory() !== true) return stats?.size ?? 0
  return listFolder(path).reduce((sum, name) => sum + measureBytes(join(path, name)), 0)
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Removes what a crash left of a text that was being written. */
function eraseDrafts(file: string): void {
  const name = basename(file)
  for (const one of listFolder(dirname(file))) {
    const rest = one.startsWith(`${name}.`) ? one.slice(name.length) : ''
    if (/^\.[0-9a-f-]{36}\.tmp$/.test(rest)) rmSync(join(dirname(file), one), { force: true })
  }
}

/** The document goes last. */
function removeFolder(entry: string): void {
  for (const name of listFolder(entry))
    if (name !== 'document') rmSync(join(entry, name), { recursive: true, force: true })
  rmSync(join(entry, 'document'), { recursive: true, force: true })
  rmdirSync(entry)
}
