import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, linkSync, lstatSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join, relative } from 'node:path'
import { ArgotError } from '@argot/core'
import { readDocumentStart, readDocumentText, readWholeDocument } from '../../files/document-file.ts'
import { makeFolders } from '../../files/make-folders.ts'
import type { Documents, Lease, Sidecars } from '../store.ts'
import { ChangeWaiter } from './change-waiter.ts'
import { copyBeside } from './copy-beside.ts'
import { createFile, type Disk, isSystemError, syncFolder, syncPath } from './disk.ts'
import { DocumentFile } from './document-file.ts'
import type { FolderTrash } from './folder-trash.ts'
import {
  createNameCheck,
  documentFile,
  lockPath,
  makeFolder,
  payloadsIn,
  runsFolder,
  sidecarPath,
  stateFolder,
} from './layout.ts'
import { describeHolder } from './lock-file.ts'
import { outputExists, refuseExisting } from './output-exists.ts'

const extension = '.chatmd'
const skipped: ReadonlySet<string> = new Set(['node_modules'])

export function folderDocuments(
  root: string,
  disk: Disk,
  trash: FolderTrash,
  checkLease: (lease: Lease, path: string) => void,
  sidecars: () => Sidecars,
): Documents {
  const at = (path: string): string => documentFile(root, path)
  return {
    async read(path, { most } = {}) {
      const source = await readDocumentText(at(path), most)
      if (!source.ok) throw new ArgotError(source.problem.code, source.problem.message)
      return { text: source.text, version: toVersion(source.text) }
    },
    readStart: (path, bytes) => readDocumentStart(at(path), bytes),
    async open(path, lease, { most } = {}) {
      const sidecar = { open: () => sidecars().open(path, lease), read: () => sidecars().read(path) }
      return new DocumentFile(disk, at(path), { checkLease: () => checkLease(lease, path), sidecar, most })
    },
    async write(path, text, { after, lease, most }) {
      const file = at(path)
      if (after === undefined) await createText(disk, file, text)
      else {
        checkLease(lease, path)
        const version = existsSync(file) ? toVersion(readWholeDocument(file, most).toString('utf8')) : undefined
        if (version !== after) throw documentChanged(file)
        await replaceText(disk, file, text, () => checkLease(lease, path))
      }
      return toVersion(text)
    },
    async branch(path, text, to) {
      const file = at(path)
      const existed = existsSync(file)
      const target = to === undefined ? createBranch(disk, file, text) : at(to)
      if (to !== undefined) await createCopy(disk, file, text, target)
      await copySidecar(disk, file, target)
      // Erasing moves the document away first and then checks what others refer to: a branch made later comes too late.
      if (existed && !existsSync(file)) {
        rmSync(target)
        throw documentChanged(file)
      }
      await syncPath(disk, target)
      await syncFolder(disk, dirname(target))
      return relative(root, target)
    },
    async remove(path, lease) {
      checkLease(lease, path)
      return trash.remove(path)
    },
    async rename(path, to, lease) {
      checkLease(lease, path)
      await trash.rename(path, to)
    },
    async erase(path, lease) {
      checkLease(lease, path)
      await trash.removeAndErase(path)
    },
    async list() {
      return (await listDocuments(root)).map(file => relative(root, file)).sort()
    },
    watch: signal => watchDocuments(root, signal),
  }
}

/** Copies all records. Those of elements that the copy lacks match nothing there. */
async function copySidecar(disk: Disk, file: string, target: string): Promise<void> {
  const from = sidecarPath(file)
  if (target === file || !existsSync(from)) return
  const folder = await makeFolder(disk, target, 'sidecars')
  const draft = join(folder, `${randomUUID()}.tmp`)
  createFile(disk, draft, readFileSync(from))
  await syncPath(disk, draft)
  renameSync(draft, sidecarPath(target))
  await syncFolder(disk, folder)
}

function toVersion(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function documentChanged(file: string): ArgotError {
  const message = `\`${basename(file)}\` was changed by another program, so it was not overwritten. Read it again.`
  return new ArgotError('RUN_FILE_CHANGED', message)
}

/** The new text is on disk under another name before it replaces the old one. */
async function replaceText(disk: Disk, file: string, text: string, check: () => void): Promise<void> {
  await withDraft(disk, file, text, draft => {
    check()
    renameSync(draft, file)
  })
}

/** Like `replaceText`, for a new document. If two are created under one name at the same time, only one succeeds. */
async function createText(disk: Disk, file: string, text: string): Promise<void> {
  makeFolders(dirname(file))
  await withDraft(disk, file, text, draft => {
    try {
      linkSync(draft, file)
    } catch (error) {
      if (isSystemError(error, 'EEXIST') || existsSync(file)) throw documentChanged(file)
      // The disk doesn't support hard links.
      renameSync(draft, file)
    }
  })
}

async function withDraft(disk: Disk, file: string, text: string, use: (draft: string) => void): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`
  try {
    createFile(disk, draft, text)
    const mode = statSync(file, { throwIfNoEntry: false })?.mode
    if (mode !== undefined) chmodSync(draft, mode)
    await syncPath(disk, draft)
    use(draft)
  } finally {
    rmSync(draft, { force: true })
  }
  await syncFolder(disk, dirname(file))
}

/** Creates the first free `NAME.N.chatmd`. A branch of a branch is numbered like a branch of the original document. */
function createBranch(disk: Disk, file: string, text: string): string {
  const folder = dirname(file)
  const ending = extname(file)
  const whole = basename(file, ending)
  const stem = whole.replace(/\.[0-9]+$/, '')
  const name = existsSync(join(folder, stem + ending)) ? stem : whole
  for (let number = 1; ; number++) {
    const path = join(folder, `${name}.${number}${ending}`)
    try {
      createFile(disk, path, text)
      return path
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error
    }
  }
}

/** Also copies the files of its calls if the copy is in another folder. Never replaces a file. */
async function createCopy(disk: Disk, source: string, text: string, target: string): Promise<void> {
  makeFolders(dirname(target))
  refuseExisting(target)
  if (dirname(source) !== dirname(target)) {
    for (const name of payloadsIn(text)) await copyBeside(disk, join(stateFolder(source), name), source, target)
  }
  try {
    createFile(disk, target, text)
  } catch (error) {
    throw isSystemError(error, 'EEXIST') ? outputExists(target) : error
  }
}

async function listDocuments(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const paths: string[] = []
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isFile() && entry.name.endsWith(extension)) paths.push(path)
    else if (entry.isDirectory() && !entry.name.startsWith('.') && !skipped.has(entry.name))
      paths.push(...(await listDocuments(path)))
  }
  return paths
}

/** Scanning a large folder takes long: wait this many times as long before the next scan. */
const REST_FACTOR = 9
const LONGEST_REST_MS = 5000

/** Scans for documents whenever the system reports a change. Taking or releasing a document changes it too. */
async function* watchDocuments(root: string, signal: AbortSignal): AsyncGenerator<string> {
  const changes = new ChangeWaiter(root, signal)
  try {
    let before = await stampDocuments(root)
    let scanMs = 0
    while (!signal.aborted) {
      await changes.rest(Math.min(scanMs * REST_FACTOR, LONGEST_REST_MS))
      await changes.wait()
      const startedAt = performance.now()
      const now = await stampDocuments(root)
      scanMs = performance.now() - startedAt
      for (const path of new Set([...before.keys(), ...now.keys()])) {
        if (before.get(path) !== now.get(path)) yield relative(root, path)
      }
      before = now
    }
  } finally {
    changes.close()
  }
}

const STAMP_BATCH = 200

async function stampDocuments(root: string): Promise<Map<string, string>> {
  const stamps = new Map<string, string>()
  const mayHaveRuns = createNameCheck('runs')
  const mayBeLocked = createNameCheck('locks')
  for (const [index, file] of (await listDocuments(root)).entries()) {
    // Lets other work run in between.
    if (index % STAMP_BATCH === STAMP_BATCH - 1) await new Promise(resolve => setImmediate(resolve))
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (stats === undefined) continue
    const runs = mayHaveRuns(file) ? stampRuns(file) : ''
    const holder = mayBeLocked(file) ? stampHolder(lockPath(file)) : ''
    stamps.set(file, `${stats.ino} ${stats.size} ${stats.mtimeMs} ${runs} ${holder}`)
  }
  return stamps
}

/** Changes when a log is added. */
function stampRuns(file: string): string {
  return String(lstatSync(runsFolder(file), { throwIfNoEntry: false })?.mtimeMs ?? '')
}

function stampHolder(lock: string): string {
  try {
    return existsSync(lock) ? (describeHolder(lock) ?? '') : ''
  } catch {
    return 'somebody'
  }
}
