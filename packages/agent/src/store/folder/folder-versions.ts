import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { hashContent, isHash } from '../file-records.ts'
import { type FileVersions, VERSION_BYTES, VERSIONS_BYTES } from '../store.ts'
import { createFile, type Disk, syncFolder, syncPath } from './disk.ts'
import { findRealFolder, listFolder, makeFolder } from './layout.ts'

/** Even a small file takes a disk block. */
const BLOCK_BYTES = 4096

/** Contents in `.chatmd/versions/NAME`. Others can write there, so each content must match its hash. */
export function folderVersions(disk: Disk, file: string, now: () => number): FileVersions {
  const findExisting = (hash: string): string | undefined => {
    const folder = isHash(hash) ? findRealFolder(file, 'versions', basename(file)) : undefined
    if (folder === undefined) return undefined
    const path = join(folder, hash)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats?.isFile() === true && stats.size <= VERSION_BYTES ? path : undefined
  }
  const read = async (hash: string): Promise<Buffer | undefined> => {
    const path = findExisting(hash)
    const content = path === undefined ? undefined : await readFile(path).catch(() => undefined)
    return content !== undefined && hashContent(content) === hash ? content : undefined
  }
  return {
    read,
    async keep(hash, content) {
      if (content.length > VERSION_BYTES) return false
      const folder = await makeFolder(disk, file, 'versions', basename(file))
      // The copy of a private file must not be readable by others.
      chmodSync(folder, 0o700)
      const target = join(folder, hash)
      const time = new Date(now())
      if ((await read(hash)) !== undefined) {
        // `argot prune` uses the time of last use.
        utimesSync(target, time, time)
        return true
      }
      makeRoom(folder, content.length)
      const draft = join(folder, `.${randomUUID()}.tmp`)
      try {
        createFile(disk, draft, content)
        utimesSync(draft, time, time)
        await syncPath(disk, draft)
        renameSync(draft, target)
        await syncFolder(disk, folder)
      } finally {
        rmSync(draft, { force: true })
      }
      return true
    },
  }
}

function makeRoom(folder: string, size: number): void {
  const versions = listVersions(folder)
  let total = versions.reduce((sum, one) => sum + one.size, Math.max(size, BLOCK_BYTES))
  for (const { path, size: freed } of versions) {
    if (total <= VERSIONS_BYTES) return
    rmSync(path, { force: true })
    total -= freed
  }
}

/** Oldest first. */
export function listVersions(folder: string): { path: string; size: number; at: number }[] {
  return listFolder(folder)
    .flatMap(name => {
      const path = join(folder, name)
      const stats = lstatSync(path, { throwIfNoEntry: false })
      return stats?.isFile() === true ? [{ path, size: Math.max(stats.size, BLOCK_BYTES), at: stats.mtimeMs }] : []
    })
    .sort((a, b) => a.at - b.at || (a.path < b.path ? -1 : 1))
}
