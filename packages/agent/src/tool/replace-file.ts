import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, lstat, mkdir, open, realpath, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { kindOf, reasonOf, standsAt } from '../resolver/local-file.ts'
import { codeOf, quoted } from '../resolver/refusal.ts'
import { ToolFailure } from './tool.ts'

/**
 * Writes a file at a real path so that readers see the old text or the new one, never a part. Missing folders are made,
 * the mode of an old file is kept. If a folder on the way has become a link, nothing is written.
 */
export async function replaceFile(real: string, text: string, name: string): Promise<void> {
  await writing(name, async () => {
    const old = await statusOf(real)
    refuseUnlessFile(old, name)
    // A rename asks only for the rights of the folder.
    if (old !== undefined) await access(real, constants.W_OK)
    await makeFolders(dirname(real), name)
    const draft = join(dirname(real), `.argot-${randomBytes(8).toString('hex')}.tmp`)
    const file = await open(draft, WRITE | constants.O_CREAT | constants.O_EXCL)
    try {
      // Its name cannot be guessed: if it is found where it should be, it was made there, and the rename finds it nowhere else.
      await refuseUnlessAt(draft, file, name)
      if (old !== undefined) await file.chmod(old.mode & 0o7777)
      await file.writeFile(text)
      await file.datasync()
      await rename(draft, real)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    } finally {
      await file.close()
    }
  })
}

/** Adds to the end of a file at a real path, however large it is. Gives false, and does nothing, if it has other names. */
export async function extendFile(real: string, text: string, name: string): Promise<boolean> {
  return writing(name, async () => {
    refuseUnlessFile(await stat(real), name)
    const file = await open(real, WRITE | constants.O_APPEND)
    try {
      const found = await file.stat()
      refuseUnlessFile(found, name)
      await refuseUnlessAt(real, file, name)
      if (found.nlink > 1) return false
      await file.appendFile(text)
      return true
    } finally {
      await file.close()
    }
  })
}

/** Removes a file at a real path. */
export async function removeFile(real: string, name: string): Promise<void> {
  await writing(name, async () => {
    refuseUnlessFile(await lstat(real), name)
    if ((await realpath(dirname(real))) !== dirname(real)) throw replaced(name)
    await unlink(real)
  })
}

const WRITE = constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function makeFolders(folder: string, name: string): Promise<void> {
  const above = dirname(folder)
  if ((await statusOf(folder)) === undefined) {
    if (above !== folder) await makeFolders(above, name)
    await mkdir(folder).catch(error => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  }
  if ((await realpath(folder)) !== folder) throw replaced(name)
}

async function refuseUnlessAt(path: string, file: FileHandle, name: string): Promise<void> {
  const stands = await standsAt(path, await file.stat()).catch(() => false)
  if (!stands) throw replaced(name)
}

function refuseUnlessFile(found: Stats | undefined, name: string): void {
  if (found === undefined || found.isFile()) return
  const what = found.isSymbolicLink() ? 'a symbolic link' : kindOf(found)
  throw new ToolFailure('TOOL_FILE_UNWRITABLE', `${quoted(name)} is ${what}, not a file. Choose another path.`)
}

async function statusOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function replaced(name: string): ToolFailure {
  const message = `${quoted(name)} was not written: something on its path was replaced in the meantime.`
  return new ToolFailure('TOOL_FILE_UNWRITABLE', `${message} Look at the folder before you try again.`)
}

async function writing<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolFailure) throw error
    const message = `${quoted(name)} cannot be written: ${reasonOf(error)}. Choose another path.`
    throw new ToolFailure('TOOL_FILE_UNWRITABLE', message)
  }
}
