import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, lstat, open, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { getCode } from '../words/get-code.ts'
import { quoted } from '../words/quoted.ts'
import { ToolFailure } from '../words/tool-failure.ts'
import { FolderReplaced, inFolder, makeRealFolders } from './in-folder.ts'
import { describeKind, describeReason, isAt } from './local-file.ts'
import { FileEnd, writeAll } from './write-all.ts'

/**
 * Writes a file at a real path so that readers see the old text or the new one, never a part. Creates missing folders
 * and keeps an existing file's mode. Writes nothing if a folder on the way has become a link.
 */
export async function replaceFile(real: string, content: string | Uint8Array, name: string): Promise<void> {
  await withWriteErrors(name, async () => {
    await makeRealFolders(dirname(real))
    await inFolder(dirname(real), async base => {
      const place = join(base, basename(real))
      const old = await readStats(place)
      refuseUnlessFile(old, name)
      // A rename only needs permission for the folder, not for the file.
      if (old !== undefined) await access(place, constants.W_OK)
      const draft = join(base, `.argot-${randomBytes(8).toString('hex')}.tmp`)
      const file = await open(draft, WRITE | constants.O_CREAT | constants.O_EXCL)
      try {
        if (old !== undefined) await file.chmod(old.mode & 0o7777)
        writeAll(file.fd, content)
        await file.datasync()
        await rename(draft, place)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      } finally {
        await file.close()
      }
    })
  })
}

/** Appends to a file of any size at a real path. Returns false, without writing, if the file has other hard links. */
export async function extendFile(real: string, text: string, name: string): Promise<boolean> {
  return withWriteErrors(name, () =>
    inFolder(dirname(real), async base => {
      const place = join(base, basename(real))
      refuseUnlessFile(await lstat(place), name)
      const file = await open(place, WRITE | constants.O_APPEND)
      try {
        const stats = await file.stat()
        refuseUnlessFile(stats, name)
        if (!(await isAt(file, real))) throw new FolderReplaced()
        if (stats.nlink > 1) return false
        new FileEnd(file.fd, stats.size).append(text)
        return true
      } finally {
        await file.close()
      }
    }),
  )
}

export async function removeFile(real: string, name: string): Promise<void> {
  await withWriteErrors(name, () =>
    inFolder(dirname(real), async base => {
      const place = join(base, basename(real))
      refuseUnlessFile(await lstat(place), name)
      await unlink(place)
    }),
  )
}

export async function renameFile(real: string, to: string, name: string): Promise<void> {
  await withWriteErrors(name, () =>
    inFolder(dirname(real), base => rename(join(base, basename(real)), join(base, basename(to)))),
  )
}

export async function setMode(real: string, mode: number, name: string): Promise<void> {
  await withWriteErrors(name, () =>
    inFolder(dirname(real), async base => {
      const file = await open(join(base, basename(real)), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
      try {
        await file.chmod(mode)
      } finally {
        await file.close()
      }
    }),
  )
}

/** Creates the missing folders above a file, and returns the topmost. */
export function makeFoldersFor(real: string, name: string): Promise<string | undefined> {
  return withWriteErrors(name, () => makeRealFolders(dirname(real)))
}

export async function removeFolders(folder: string, top: string, name: string): Promise<void> {
  await withWriteErrors(name, async () => {
    for (let at = folder; at.length >= top.length; at = dirname(at))
      await inFolder(dirname(at), base => rmdir(join(base, basename(at))))
  })
}

const WRITE = constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

function refuseUnlessFile(stats: Stats | undefined, name: string): void {
  if (stats === undefined || stats.isFile()) return
  const what = stats.isSymbolicLink() ? 'a symbolic link' : describeKind(stats)
  throw new ToolFailure('TOOL_FILE_UNWRITABLE', `${quoted(name)} is ${what}, not a file. Choose another path.`)
}

async function readStats(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (getCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function pathReplaced(name: string): ToolFailure {
  const message = `${quoted(name)} was not written: something on its path was replaced meanwhile.`
  return new ToolFailure('TOOL_FILE_UNWRITABLE', `${message} Check the folder before you try again.`)
}

async function withWriteErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolFailure) throw error
    if (error instanceof FolderReplaced) throw pathReplaced(name)
    const message = `${quoted(name)} cannot be written: ${describeReason(error)}. Choose another path.`
    throw new ToolFailure('TOOL_FILE_UNWRITABLE', message)
  }
}
