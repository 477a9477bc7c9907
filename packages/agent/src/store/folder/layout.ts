import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { ArgotError } from '@argot/core'
import { type ElementNode, safeId, type Tree } from '@argot/core/chatmd/internal'
import { createWhole } from '../../files/write-all.ts'
import { callKey, getReferencedFiles, topElements } from '../written-element.ts'
import { type Disk, isSystemError, syncFolder } from './disk.ts'

/*
 * The files beside a document `chat.chatmd`:
 *
 *     .chatmd/0.tool-call.call_1.json          payloads of calls, numbered across all documents in the folder
 *     .chatmd/runs/chat.chatmd/RUN.jsonl       the log of a run
 *     .chatmd/inbox/chat.chatmd/RUN.jsonl      messages sent to it
 *     .chatmd/locks/chat.chatmd.lock           who holds the document
 *     .chatmd/tails/chat.chatmd/0.txt          text that a crash had cut off
 *     .chatmd/refined/chat.chatmd              its prompts as META_REFINE made them
 *     .chatmd/sources/HASH                     what turns brought in when they were sent; listed in chat.chatmd.json
 *     .chatmd/cache/KEY.json                   answers of agents in documents
 *     .chatmd/attachments/chat.chatmd/NAME     files that people added to it
 *     .chatmd/versions/chat.chatmd/HASH        contents of files before and after its tools changed them
 *     .chatmd/sidecars/chat.chatmd.jsonl       what Argot knows about its elements
 *     .chatmd/search/documents.jsonl           the words in the documents of this folder and below
 *     .chatmd/trash/ID/document/chat.chatmd    a removed document; the rest of ID holds what belonged to it
 */

export const stateFolderName = '.chatmd'

const logEnding = '.jsonl'

/** The file of a document, with links resolved: a link and its target are one document. */
export function documentFile(root: string, path: string): string {
  const file = resolve(root, path)
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

export function stateFolder(file: string): string {
  return join(dirname(file), stateFolderName)
}

export function runsFolder(file: string): string {
  return join(stateFolder(file), 'runs', basename(file))
}

export function sidecarPath(file: string): string {
  return join(stateFolder(file), 'sidecars', `${basename(file)}.jsonl`)
}

export function lockPath(file: string): string {
  return join(stateFolder(file), 'locks', `${basename(file)}.lock`)
}

/** The file name for a run: its id if that is a valid file name, otherwise a name that no other id has. */
export function runName(run: string): string {
  const safe = safeId(run)
  return safe === run ? run : `${safe.slice(0, 40)}-${createHash('sha256').update(run).digest('hex').slice(0, 16)}`
}

export function logPath(file: string, run: string): string {
  return join(runsFolder(file), `${runName(run)}${logEnding}`)
}

/** What belongs to one document alone: its name in the trash, and its place below the state folder. */
export function ownPieces(file: string): ReadonlyMap<string, readonly [folder: string, name: string]> {
  const name = basename(file)
  return new Map([
    ['runs', ['runs', name]],
    ['inbox', ['inbox', name]],
    ['tails', ['tails', name]],
    ['refined', ['refined', name]],
    ['sources.json', ['sources', `${name}.json`]],
    ['attachments', ['attachments', name]],
    ['versions', ['versions', name]],
    ['sidecar.jsonl', ['sidecars', `${name}.jsonl`]],
  ])
}

export const documentIndexName = 'documents'

export function searchIndexPath(file: string, name: string): string {
  return join(stateFolder(file), 'search', `${name}.jsonl`)
}

/** Removes the indexes that may contain words of a document, in its folder and those above it up to the root. */
export function removeSearchIndexes(root: string, file: string): void {
  for (let one = file; one.startsWith(join(root, '/')); one = dirname(one)) {
    if (findRealFolder(one, 'search') === undefined) continue
    rmSync(searchIndexPath(one, documentIndexName), { force: true })
    removeEmptyFolders(one, ['search'])
  }
}

export const pieceFolders: readonly string[] = [...new Set(Array.from(ownPieces('any').values(), ([folder]) => folder))]

/** A folder of a document's state. Undefined if it is missing or reached by a link: nothing is removed through links. */
export function findRealFolder(file: string, ...names: readonly string[]): string | undefined {
  let folder = dirname(file)
  for (const name of [stateFolderName, ...names]) {
    folder = join(folder, name)
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  }
  return folder
}

/** Not in the folder of the logs: a process that waits for posts must not wake up for every line of a log. */
export function inboxPath(file: string, run: string): string {
  return join(stateFolder(file), 'inbox', basename(file), `${runName(run)}${logEnding}`)
}

/** File names. Empty if the folder can't be read: a problem with one document must not affect the others. */
export function listRuns(file: string): string[] {
  const folder = runsFolder(file)
  return listReadable(folder)
    .filter(name => name.endsWith(logEnding) && isFile(join(folder, name)))
    .map(name => name.slice(0, -logEnding.length))
}

function listReadable(folder: string): string[] {
  try {
    return listFolder(folder)
  } catch (error) {
    if (isSystemError(error, 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EIO')) return []
    throw error
  }
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/**
 * Creates a folder below a document's state folder, and waits until the names above it are on disk. Throws
 * `RUN_UNSAFE_FOLDER` for a link in its place, which would redirect writes elsewhere.
 */
export async function makeFolder(disk: Disk, file: string, ...names: readonly string[]): Promise<string> {
  let folder = dirname(file)
  for (const name of [stateFolderName, ...names]) {
    const parent = folder
    folder = join(parent, name)
    if (!createFolder(folder)) continue
    // Older versions wrote no such file. If a person removes it later, it stays removed.
    if (name === stateFolderName || name === 'sidecars') writeIgnoreFile(stateFolder(file))
    await syncFolder(disk, parent)
  }
  return folder
}

/** Payload files and sources are part of a conversation; everything else is only for this user. */
const ignoreText = `# Written by Argot once; yours to change.
*
!.gitignore
!/[0-9]*.*.json
!/sources/
!/sources/**
`

/** Not synced: losing it in a power failure does no harm. */
function writeIgnoreFile(folder: string): void {
  try {
    createWhole(join(folder, '.gitignore'), ignoreText)
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
  }
}

/** Removes the file that Argot wrote, if the folder has nothing else and the file is unchanged. */
function removeIgnoreFile(folder: string): void {
  const names = listFolder(folder)
  if (names.length !== 1 || names[0] !== '.gitignore') return
  const path = join(folder, '.gitignore')
  if (isFile(path) && readFileSync(path, 'utf8') === ignoreText) unlinkSync(path)
}

/** Removes empty folders of a document's state: a document that was only locked leaves no trace. */
export function removeEmptyFolders(file: string, names: readonly string[] = ['locks']): void {
  for (const name of [...names, '']) {
    try {
      if (name === '') removeIgnoreFile(stateFolder(file))
      rmdirSync(join(stateFolder(file), name))
    } catch {
      // The folder isn't empty, or doesn't exist.
    }
  }
}

/** False if the folder already exists. */
function createFolder(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
  }
  if (lstatSync(folder).isDirectory()) return false
  const message = `\`${folder}\` is a link or a file instead of a folder, so nothing is written there. Remove it.`
  throw new ArgotError('RUN_UNSAFE_FOLDER', message)
}

/** The names in a folder; none if it doesn't exist. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return []
    throw error
  }
}

/**
 * Returns a function that checks whether documents may have runs or a lock. Reads each folder once, instead of checking
 * each document. May return true for a document that has none.
 */
export function createNameCheck(kind: 'runs' | 'locks'): (file: string) => boolean {
  const names = new Map<string, ReadonlySet<string> | undefined>()
  return file => {
    const folder = join(stateFolder(file), kind)
    if (!names.has(folder)) names.set(folder, foldNames(folder))
    const name = kind === 'runs' ? basename(file) : basename(lockPath(file))
    return names.get(folder)?.has(foldName(name)) ?? true
  }
}

/** Undefined for a folder that can't be listed: its files may still be reachable by name. */
function foldNames(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set(listFolder(folder).map(foldName))
  } catch {
    return undefined
  }
}

/** On some disks, two spellings are one name. */
function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** The number of each call's files in a document, by the call's key. The newest number of a key wins. */
export function callNumbers(tree: Tree): Map<string, number> {
  const numbers = new Map<string, number>()
  for (const node of topElements(tree)) {
    if (node.name !== 'tool_call') continue
    const number = callNumber(node)
    if (number === undefined) numbers.delete(callKey(node))
    else numbers.set(callKey(node), number)
  }
  return numbers
}

/**
 *   ./.chatmd/3.tool-call.call_1.json
 *             ^
 */
function callNumber(node: ElementNode): number | undefined {
  const digits = getReferencedFiles(node)
    .map(path => /\/([0-9]{1,15})\.tool-call\.[^/]*$/.exec(path)?.[1])
    .find(one => one !== undefined)
  return digits === undefined ? undefined : Number(digits)
}

export function isPayloadName(name: string): boolean {
  return /^\.\/\.chatmd\/[0-9]+\.[a-z-]+\.[\w-]+\.json$/.test(name)
}

/** The files in the state folder that a text refers to, without the folder name. */
export function payloadsIn(text: string): string[] {
  return [...new Set([...text.matchAll(/"\.\/\.chatmd\/([\w.-]+)"/g)].map(match => match[1]!))]
}

/**
 *   ./.chatmd/3.tool-call.call_1.json
 *               ^
 */
export function payloadKind(path: string): string | undefined {
  return /\/[0-9]+\.([a-z-]+)\.[^/]*$/.exec(path)?.[1]
}
