import { closeSync, lstatSync, openSync, readSync, rmSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { toMessage } from '../../words/to-message.ts'
import type { Pruned, PrunedItem, PruneOptions } from '../store.ts'
import { nodeDisk } from './disk.ts'
import { FolderTrash, listFolders } from './folder-trash.ts'
import { listVersions } from './folder-versions.ts'
import { findRealFolder, inboxPath, listFolder, listRuns, logPath, removeEmptyFolders, runName } from './layout.ts'
import { readLogEnd } from './log-file.ts'

/** The first lines of a log, which record what its run began with. */
const HEAD_BYTES = 64 * 1024
const LONGEST_CHAIN = 100

/**
 * Erases documents that have been in the trash for long, logs and posts of runs that ended long ago, and old file
 * versions. Leaves every other document with its payloads, and every unfinished run, alone.
 */
export async function pruneFolder(root: string, options: PruneOptions): Promise<Pruned> {
  const { olderThanMs, dryRun = false, now = Date.now } = options
  const before = now() - olderThanMs
  const pruned: Pruned = { items: [], failures: [] }
  const prune = async (item: PrunedItem, remove: () => Promise<void>): Promise<void> => {
    try {
      if (!dryRun) await remove()
      pruned.items.push(item)
    } catch (error) {
      pruned.failures.push({ path: item.path, message: toMessage(error) })
    }
  }
  const trash = new FolderTrash({ disk: nodeDisk, root, now })
  for (const entry of await trash.list()) {
    if (entry.at > before) continue
    await prune({ kind: 'document', path: entry.path, bytes: trash.measureSize(entry) }, () => trash.erase(entry))
  }
  for (const folder of await listFolders(root)) {
    for (const name of documentNames(folder)) {
      const file = join(folder, name)
      for (const run of endedRuns(file, before)) {
        const files = listFiles(file, run)
        const item: PrunedItem = { kind: 'run', path: relative(root, file), run, bytes: measureFiles(files) }
        await prune(item, async () => {
          for (const one of files) rmSync(one, { force: true })
        })
      }
      const versions = oldVersions(file, before)
      const bytes = measureFiles(versions)
      if (versions.length > 0)
        await prune({ kind: 'versions', path: relative(root, file), bytes }, async () => {
          for (const one of versions) rmSync(one, { force: true })
        })
      if (!dryRun) removeEmptyFolders(file, [`runs/${name}`, `inbox/${name}`, `versions/${name}`])
    }
    if (!dryRun) removeEmptyFolders(join(folder, 'any'), ['runs', 'inbox', 'versions'])
  }
  return pruned
}

/** Contents of files before and after old turns: a turn is undone soon, or never. */
function oldVersions(file: string, before: number): string[] {
  const folder = findRealFolder(file, 'versions', basename(file))
  const versions = folder === undefined ? [] : listVersions(folder)
  return versions.filter(({ at }) => at <= before).map(({ path }) => path)
}

/** Documents with logs, posts or file versions, even if they no longer exist. Links aren't followed. */
function documentNames(folder: string): string[] {
  const names = ['runs', 'inbox', 'versions'].flatMap(kind => {
    const place = findRealFolder(join(folder, 'any'), kind)
    return place === undefined ? [] : listFolder(place).filter(name => isFolder(join(place, name)))
  })
  return [...new Set(names)].sort()
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The runs of a document that ended before a time, by file name, except those that an unfinished run needs. */
function endedRuns(file: string, before: number): string[] {
  const runs = listRuns(file)
  const ends = new Map(runs.map(run => [run, readEnd(logPath(file, run))]))
  const needed = new Set<string>()
  for (const [run, end] of ends) if (end !== 'ended') addChain(file, run, needed)
  const ended = runs.filter(run => ends.get(run) === 'ended' && !needed.has(run))
  return [...ended, ...findOrphanPosts(file, runs)].filter(run => lastWrite(file, run) <= before)
}

function readEnd(path: string): ReturnType<typeof readLogEnd> {
  try {
    return readLogEnd(path)
  } catch {
    // Keep what can't be read.
    return 'open'
  }
}

/** In version 1 logs, an unfinished run may continue from a finished one. */
function addChain(file: string, first: string, needed: Set<string>): void {
  let run: string | undefined = first
  for (let links = 0; run !== undefined && links < LONGEST_CHAIN; links++) {
    needed.add(run)
    const from: string | undefined = /"from":"([^"\\]{1,300})"/.exec(readHead(logPath(file, run)))?.[1]
    run = from === undefined ? undefined : runName(from)
  }
}

function readHead(path: string): string {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return ''
  }
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(fd)
  }
}

function findOrphanPosts(file: string, runs: readonly string[]): string[] {
  const place = findRealFolder(file, 'inbox', basename(file))
  const names = place === undefined ? [] : listFolder(place).filter(name => name.endsWith('.jsonl'))
  return names.map(name => name.slice(0, -'.jsonl'.length)).filter(run => !runs.includes(run))
}

/** A run's log and posts, unless a link leads there. */
function listFiles(file: string, run: string): string[] {
  const name = basename(file)
  return [
    ...(findRealFolder(file, 'runs', name) === undefined ? [] : [logPath(file, run)]),
    ...(findRealFolder(file, 'inbox', name) === undefined ? [] : [inboxPath(file, run)]),
  ]
}

function lastWrite(file: string, run: string): number {
  return Math.max(0, ...listFiles(file, run).map(path => readMtime(path)))
}

function readMtime(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function measureFiles(files: readonly string[]): number {
  return files.reduce((sum, path) => sum + (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
}
