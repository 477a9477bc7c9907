import { constants, existsSync, realpathSync, statSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { ArgotError } from '@argot/core'
import { findConfigFolder } from '../../settings/config-folder.ts'
import { makeStateKey, readStateKey } from '../state-key.ts'
import type { Inbox, Lease, Leases, RunEntry, RunLogs, ScannedLog, Sidecars, Store } from '../store.ts'
import { type Disk, isSystemError, nodeDisk } from './disk.ts'
import { folderDocuments } from './folder-documents.ts'
import { folderFiles } from './folder-files.ts'
import { FolderTrash } from './folder-trash.ts'
import { folderVersions } from './folder-versions.ts'
import { FolderWatches } from './folder-watches.ts'
import { followLog } from './follow-log.ts'
import { addPost, followPosts, LONGEST_POST, readPosts } from './inbox-file.ts'
import {
  createNameCheck,
  documentFile,
  inboxPath,
  lockPath,
  logPath,
  makeFolder,
  removeEmptyFolders,
  runName,
  runsFolder,
  sidecarPath,
  stateFolder,
} from './layout.ts'
import { readLeaseMs } from './lease-time.ts'
import { LocalWriters } from './local-writers.ts'
import { describeHolder, type LockFile, type LockOptions, takeLockFile } from './lock-file.ts'
import type { LockClock } from './lock-watch.ts'
import { LogFile } from './log-file.ts'
import { LogTails } from './log-tails.ts'
import { leaseLost, lockRemoved, stateRemoved } from './lost-lease.ts'
import { RunStates } from './run-states.ts'
import { readScanned, scanLog } from './scan-log.ts'
import { readSidecar, SidecarFile } from './sidecar-file.ts'
import { watchLog } from './watch-log.ts'

export interface FolderStoreOptions {
  /**
   * Signs logs and posts, so that Argot trusts only what this user wrote. By default, the key is `ARGOT_STATE_KEY` or
   * in the user's config folder.
   */
  key?: Uint8Array | undefined
  /** The folder of the key; `~/.config/argot` by default. */
  configFolder?: string | undefined
  env?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * A process on another machine or in another container loses its documents after this many milliseconds without a
   * renewal. 30 seconds by default, or `ARGOT_LEASE_SECONDS`. Holders renew six times within this time.
   */
  leaseMs?: number | undefined
  now?: (() => number) | undefined
}

/** A store for the documents below a folder. Everything else is in `.chatmd` beside each document. */
export function folderStore(root: string, options: FolderStoreOptions = {}): Store {
  return folderStoreOn(nodeDisk, root, options)
}

/** Like `folderStore`, on a disk that a test can stop. */
export function folderStoreOn(
  disk: Disk,
  folder: string,
  options: FolderStoreOptions & { clock?: LockClock | undefined },
): Store {
  const root = realRoot(folder)
  const { now = Date.now, env = process.env } = options
  const { configFolder = findConfigFolder({ env }) } = options
  let ownKey = options.key
  const key: FolderContext['key'] = async purpose => {
    ownKey ??= await (purpose === 'write' ? makeStateKey : readStateKey)(configFolder, env)
    return ownKey
  }
  const { leaseMs = readLeaseMs(env), clock } = options
  const lock = { now, leaseMs, clock }
  const holdChecks = new WeakMap<Lease, () => boolean>()
  const checkLease = (lease: Lease, path: string): void => {
    const isOfDocument = lease.path === path || documentFile(root, lease.path) === documentFile(root, path)
    if (!isOfDocument) throw leaseLost(path)
    if (holdChecks.get(lease)?.() !== true) throw lease.lost.aborted ? lease.lost.reason : leaseLost(path)
  }
  const trash = new FolderTrash({ disk, root, now })
  const documents = folderDocuments(root, disk, trash, checkLease, () => sidecars)
  const listDocuments = (): Promise<string[]> => documents.list()
  const shared: Pick<FolderContext, 'runPaths' | 'writers' | 'watches'> = {
    runPaths: new Map(),
    writers: new LocalWriters(),
    watches: new FolderWatches(),
  }
  const context: FolderContext = { disk, root, key, now, lock, listDocuments, holdChecks, checkLease, ...shared }
  const sidecars = folderSidecars(context)
  const leases = folderLeases(context)
  const logs = folderLogs(context)
  return {
    root,
    documents,
    logs,
    leases,
    inbox: folderInbox(context, logs),
    trash,
    sidecars,
    files: path => folderFiles(disk, documentFile(root, path)),
    versions: path => folderVersions(disk, documentFile(root, path), now),
  }
}

/** Throws `RUN_NO_FOLDER` if this isn't a folder. */
function realRoot(folder: string): string {
  try {
    const root = realpathSync(folder)
    if (statSync(root).isDirectory()) return root
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) throw error
    throw new ArgotError('RUN_NO_FOLDER', `There is no folder \`${folder}\`. Create it first.`, { cause: error })
  }
  throw new ArgotError('RUN_NO_FOLDER', `\`${folder}\` is a file. Documents are stored in a folder.`)
}

interface FolderContext {
  disk: Disk
  root: string
  /** The user's key. If there is none yet, `write` makes one. */
  key: (purpose: 'read' | 'write') => Promise<Uint8Array | undefined>
  now: () => number
  lock: LockOptions
  listDocuments: () => Promise<string[]>
  runPaths: Map<string, string>
  holdChecks: WeakMap<Lease, () => boolean>
  /** Throws for a lease that no longer holds, or that belongs to another document. */
  checkLease: (lease: Lease, path: string) => void
  writers: LocalWriters
  watches: FolderWatches
}

function folderLeases({ disk, root, lock: lockOptions, holdChecks, writers }: FolderContext): Leases {
  return {
    async take(path, options = {}) {
      const file = documentFile(root, path)
      await access(file, constants.R_OK | constants.W_OK)
      await makeFolder(disk, file, 'locks')
      const lock = await takeLockFile(lockPath(file), { ...options, ...lockOptions }).catch((error: unknown) => {
        throw isSystemError(error, 'ENAMETOOLONG') ? nameTooLong(file) : error
      })
      const lossController = new AbortController()
      const endWriting = writers.begin(lockPath(file))
      const lose = (): void => {
        endWriting()
        lossController.abort(describeLoss(file, path, lock))
      }
      lock.lost.addEventListener('abort', lose, { once: true })
      const isOurs = (): boolean => lock.isOurs()
      const lease: Lease = {
        path,
        epoch: lock.epoch,
        lost: lossController.signal,
        renew: async () => isOurs(),
        async release() {
          lock.release()
          endWriting()
          if (!existsSync(file)) removeEmptyFolders(file)
        },
      }
      holdChecks.set(lease, isOurs)
      return lease
    },
    holder: async path => describeHolder(lockPath(documentFile(root, path)), lockOptions),
  }
}

function describeLoss(file: string, path: string, lock: LockFile): ArgotError {
  if (!existsSync(stateFolder(file))) return stateRemoved(path)
  return lock.state === 'removed' ? lockRemoved(path, lockPath(file)) : leaseLost(path)
}

function nameTooLong(file: string): ArgotError {
  const message = `The name \`${basename(file).slice(0, 40)}…\` is too long for the files that a run keeps next to it. Shorten it.`
  return new ArgotError('RUN_NOT_SAVED', message)
}

function folderLogs(context: FolderContext): RunLogs & { findDocument(run: string): Promise<string | undefined> } {
  const { disk, root, key, now, runPaths, checkLease, writers, watches } = context
  const tails = new LogTails()
  const states = new RunStates(context.lock)

  async function find(run: string): Promise<RunEntry | undefined> {
    const path = runPaths.get(run)
    const cachedEntry = path === undefined ? undefined : readEntry(path, run)
    if (cachedEntry !== undefined) return cachedEntry
    for (const one of await context.listDocuments()) {
      const entry = states.listRuns(join(root, one)).includes(runName(run)) ? readEntry(one, run) : undefined
      if (entry !== undefined) return entry
    }
    return undefined
  }

  function readEntry(path: string, run: string, file = documentFile(root, path)): RunEntry | undefined {
    try {
      const state = states.readState(file, run)
      if (state === undefined) return undefined
      runPaths.set(run, path)
      return { run, path, state }
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG')) return undefined
      // The log exists but can't be read. No process can continue the run, so it blocks nothing, but it is listed.
      runPaths.set(run, path)
      return { run, path, state: 'ended' }
    }
  }

  /** The document of a run that has a log. For a known run, this only checks that the log still exists. */
  async function findDocument(run: string): Promise<string | undefined> {
    const path = runPaths.get(run)
    const exists = path !== undefined && existsSync(logPath(documentFile(root, path), run))
    return exists ? path : (await find(run))?.path
  }

  async function locate(run: string): Promise<string | undefined> {
    const path = await findDocument(run)
    return path === undefined ? undefined : logPath(documentFile(root, path), run)
  }

  async function scan(run: string): Promise<ScannedLog | undefined> {
    const path = await findDocument(run)
    if (path === undefined) return undefined
    const file = logPath(documentFile(root, path), run)
    const facts = scanLog(file, await key('read'))
    if (facts === undefined) return undefined
    const { believed, next } = facts
    return { run, path, believed, next, lines: { [Symbol.iterator]: () => readScanned(file, facts) } }
  }

  return {
    async open(path, run, lease) {
      checkLease(lease, path)
      const file = documentFile(root, path)
      await makeFolder(disk, file, 'runs', basename(file))
      runPaths.set(run, path)
      return LogFile.open({
        disk,
        path: logPath(file, run),
        document: path,
        folder: runsFolder(file),
        key: await key('write'),
        now,
        checkLease: () => checkLease(lease, path),
        writers,
      })
    },
    async read(run) {
      const log = await scan(run)
      return log && { ...log, lines: [...log.lines] }
    },
    scan,
    async tail(run, from) {
      const path = await locate(run)
      return path === undefined ? [] : tails.read(path, from, await key('read'))
    },
    follow: (run, from = 0, signal = new AbortController().signal) =>
      followLog(() => locate(run), context, from, signal),
    async *watch(run, from, signal) {
      const path = await findDocument(run)
      if (path === undefined) return
      const file = documentFile(root, path)
      const runFiles = { path, log: logPath(file, run), lock: lockPath(file) }
      yield* watchLog(runFiles, { key: await key('read'), lock: context.lock, writers, watches }, from, signal)
    },
    find,
    findDocument,
    async list({ path, state } = {}) {
      const entries: RunEntry[] = []
      // Listed documents are reached without links.
      const files = path === undefined ? (await context.listDocuments()).map(one => join(root, one)) : undefined
      const mayHaveRuns = files === undefined ? () => true : createNameCheck('runs')
      for (const file of files ?? [documentFile(root, path!)]) {
        if (!mayHaveRuns(file)) continue
        const documentPath = path ?? relative(root, file)
        for (const run of states.listRuns(file)) {
          const entry = readEntry(documentPath, run, file)
          if (entry !== undefined && (state === undefined || entry.state === state)) entries.push(entry)
        }
      }
      if (files !== undefined) states.keepOnly(files)
      return entries
    },
  }
}

function folderSidecars({ disk, root, key, checkLease }: FolderContext): Sidecars {
  return {
    async open(path, lease) {
      checkLease(lease, path)
      const file = documentFile(root, path)
      const folder = await makeFolder(disk, file, 'sidecars')
      const { epoch } = lease
      const sidecarOptions = { disk, path: sidecarPath(file), folder, key: await key('write'), epoch }
      return new SidecarFile({ ...sidecarOptions, checkLease: () => checkLease(lease, path) })
    },
    read: async path => readSidecar(sidecarPath(documentFile(root, path)), await key('read')),
  }
}

function folderInbox(context: FolderContext, logs: ReturnType<typeof folderLogs>): Inbox {
  const { disk, root, key } = context
  async function requireDocument(run: string): Promise<string> {
    const path = await logs.findDocument(run)
    if (path === undefined) throw new ArgotError('RUN_NOT_FOUND', `There is no run \`${run.slice(0, 200)}\`.`)
    return documentFile(root, path)
  }

  async function requireKey(): Promise<Uint8Array> {
    const writeKey = await key('write')
    if (writeKey !== undefined) return writeKey
    const message = "There is no signing key, and Argot can't write one to your config folder. Set ARGOT_STATE_KEY."
    throw new ArgotError('RUN_NO_KEY', message)
  }

  return {
    async post(run, post) {
      if (JSON.stringify(post).length > LONGEST_POST) {
        throw new ArgotError('RUN_POST_TOO_LONG', `A post to a run is limited to ${LONGEST_POST} characters.`)
      }
      const file = await requireDocument(run)
      await makeFolder(disk, file, 'inbox', basename(file))
      return addPost(disk, inboxPath(file, run), run, post, await requireKey())
    },
    async read(run) {
      const readKey = await key('read')
      return readKey === undefined ? [] : readPosts(inboxPath(await requireDocument(run), run), run, readKey)
    },
    async *follow(run, signal) {
      const readKey = await key('read')
      if (readKey !== undefined)
        yield* followPosts(inboxPath(await requireDocument(run), run), run, readKey, context, signal)
    },
  }
}
