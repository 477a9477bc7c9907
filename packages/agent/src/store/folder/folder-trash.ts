import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, lstatSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { ArgotError } from '@argot/core'
import type { Trash, TrashedDocument } from '../store.ts'
import { type Disk, isSystemError, syncFolder } from './disk.ts'
import { otherReferences, referencesOf } from './document-references.ts'
import {
  documentFile,
  listFolder,
  makeFolder,
  ownPieces,
  realFolderOf,
  removeEmptyFolders,
  stateFolder,
} from './layout.ts'
import { takeLockFile } from './lock-file.ts'
import { outputExists } from './output-exists.ts'

export interface TrashContext {
  disk: Disk
  root: string
  now: () => number
}

/** Everybody who moves documents of one folder to the trash, or out of it, does so in turn; nobody takes as long as this. */
const LONGEST_WAIT_MS = 30_000

const idPattern = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z-[0-9a-f]{8}$/

/** The documents of a folder store that were removed, each in a folder `.chatmd/trash/ID` beside where it was. */
export class FolderTrash implements Trash {
  readonly #context: TrashContext

  constructor(context: TrashContext) {
    this.#context = context
  }

  /** Moves a document here. Its holder has to be the caller. */
  async remove(path: string): Promise<TrashedDocument> {
    const file = documentFile(this.#context.root, path)
    return this.#inTurn(file, () => this.#remove(file))
  }

  /** Removes a document and erases it, and nobody sees it in the trash meanwhile. */
  async eraseLiving(path: string): Promise<void> {
    const file = documentFile(this.#context.root, path)
    await this.#inTurn(file, async () => this.#erase(file, (await this.#remove(file)).id))
  }

  async list(path?: string): Promise<TrashedDocument[]> {
    const { root } = this.#context
    const folders = path === undefined ? await listFolders(root) : [dirname(documentFile(root, path))]
    const entries = folders.flatMap(folder => this.#listFolder(folder))
    const wanted = path === undefined ? entries : entries.filter(one => basename(one.path) === basename(path))
    return wanted.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  }

  async restore({ path, id }: TrashedDocument): Promise<void> {
    const file = documentFile(this.#context.root, path)
    await this.#inTurn(file, async () => {
      const entry = this.#entry(file, id)
      const document = entry === undefined ? undefined : join(entry, 'document', basename(file))
      if (document === undefined || !isFile(document)) throw notInTrash(path)
      if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw outputExists(file)
      // The document comes last: until then it is in the trash, and can be brought back again.
      for (const [piece, [folder, name]] of ownPieces(file)) {
        const from = join(entry!, piece)
        if (lstatSync(from, { throwIfNoEntry: false }) === undefined) continue
        moveInto(from, join(await makeFolder(this.#context.disk, file, folder), name))
      }
      moveNew(document, file)
      await this.#sync(dirname(file))
      removeFolder(entry!)
      removeEmptyFolders(file, ['trash'])
    })
  }

  async erase({ path, id }: TrashedDocument): Promise<void> {
    const file = documentFile(this.#context.root, path)
    if (this.#entry(file, id) !== undefined) await this.#inTurn(file, () => this.#erase(file, id))
  }

  /** How many bytes go with a document that is erased now. */
  sizeOf({ path, id }: TrashedDocument): number {
    const file = documentFile(this.#context.root, path)
    const entry = this.#entry(file, id)
    return entry === undefined ? 0 : [entry, ...this.#ownFiles(file, id)].reduce((sum, one) => sum + bytesOf(one), 0)
  }

  /** The files outside of the trash that only this document refers to. */
  #ownFiles(file: string, id: string): string[] {
    const entry = this.#entry(file, id)!
    const own = referencesOf(join(entry, 'document', basename(file)), join(entry, 'sources.json'))
    if (own.payloads.size === 0 && own.hashes.size === 0) return []
    const others = otherReferences(file, id)
    const files = [...own.payloads]
      .filter(name => !others.payloads.has(name))
      .map(name => join(stateFolder(file), name))
    const hashes = [...own.hashes].filter(name => !others.hashes.has(name))
    const [sources, cache] = [realFolderOf(file, 'sources'), realFolderOf(file, 'cache')]
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
      // The document goes first: after a crash it is brought back to what is still its own.
      renameSync(file, join(place, basename(file)))
    } catch (error) {
      removeFolder(entry)
      throw error
    }
    for (const [piece, [folder, name]] of ownPieces(file)) {
      const own = realFolderOf(file, folder)
      if (own !== undefined) moveIfThere(join(own, name), join(entry, piece))
    }
    for (const folder of [place, entry, dirname(file)]) await this.#sync(folder)
    removeEmptyFolders(file, ['runs', 'inbox', 'tails', 'refined', 'sources'])
    return { path: relative(root, file), id, at }
  }

  /** The document goes last: as long as it is there, it says what else is to be erased. */
  async #erase(file: string, id: string): Promise<void> {
    const entry = this.#entry(file, id)
    if (entry === undefined) return
    for (const one of this.#ownFiles(file, id)) rmSync(one, { force: true })
    // What a crash left at its old place, if no other document has that now.
    if (!existsSync(file)) {
      for (const [folder, name] of ownPieces(file).values()) {
        const place = realFolderOf(file, folder)
        if (place !== undefined) rmSync(join(place, name), { recursive: true, force: true })
      }
      eraseDrafts(file)
    }
    removeFolder(entry)
    await this.#sync(dirname(entry))
    removeEmptyFolders(file, ['trash', 'runs', 'inbox', 'tails', 'refined', 'sources', 'cache'])
  }

  /** The folder of a removed document; undefined where there is none, or a link in its place. */
  #entry(file: string, id: string): string | undefined {
    return idPattern.test(id) ? realFolderOf(file, 'trash', id) : undefined
  }

  #listFolder(folder: string): TrashedDocument[] {
    const trash = realFolderOf(join(folder, 'any'), 'trash')
    return (trash === undefined ? [] : listFolder(trash)).flatMap(id => {
      const match = idPattern.exec(id)
      const place = match === null ? undefined : realFolderOf(join(folder, 'any'), 'trash', id, 'document')
      const name = place === undefined ? undefined : listFolder(place)[0]
      if (match === null || name === undefined) return []
      const [, hour, minute, second, rest] = match
      const at = Date.parse(`${hour}:${minute}:${second}.${rest}Z`)
      return Number.isNaN(at) ? [] : [{ path: relative(this.#context.root, join(folder, name)), id, at }]
    })
  }

  async #inTurn<Value>(file: string, work: () => Promise<Value>): Promise<Value> {
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

/** Every folder below one that may hold documents, and it itself. Links are not followed. */
export async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const folders = [folder]
  for (const entry of entries) {
    const isOne = entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules'
    if (isOne) folders.push(...(await listFolders(join(folder, entry.name))))
  }
  return folders
}

function notInTrash(path: string): ArgotError {
  return new ArgotError('RUN_NOT_IN_TRASH', `There is no \`${path.slice(0, 200)}\` in the trash.`)
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
  }
}

/** Moves a file or a folder to where a document was that is gone: what is there of a folder stays. */
function moveInto(from: string, to: string): void {
  const isMerged = lstatSync(to, { throwIfNoEntry: false })?.isDirectory() === true && lstatSync(from).isDirectory()
  if (!isMerged) return renameSync(from, to)
  for (const name of listFolder(from)) moveInto(join(from, name), join(to, name))
}

/** Moves a file to where none is: of two that come at once, one does. */
function moveNew(from: string, to: string): void {
  try {
    linkSync(from, to)
    unlinkSync(from)
  } catch (error) {
    if (isSystemError(error, 'EEXIST') || existsSync(to)) throw outputExists(to)
    // A disk without hard links.
    renameSync(from, to)
  }
}

/** Of a file, or of all files in a folder. */
function bytesOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() !== true) return found?.size ?? 0
  return listFolder(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** What a crash left of a text that was about to be written. */
function eraseDrafts(file: string): void {
  const name = basename(file)
  for (const one of listFolder(dirname(file))) {
    const rest = one.startsWith(`${name}.`) ? one.slice(name.length) : ''
    if (/^\.[0-9a-f-]{36}\.tmp$/.test(rest)) rmSync(join(dirname(file), one), { force: true })
  }
}

/** Removes an entry of the trash: its document last. */
function removeFolder(entry: string): void {
  for (const name of listFolder(entry))
    if (name !== 'document') rmSync(join(entry, name), { recursive: true, force: true })
  rmSync(join(entry, 'document'), { recursive: true, force: true })
  rmdirSync(entry)
}
