import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { getCode } from '../words/code-of.ts'
import { isAt } from './local-file.ts'

/** A folder on the way to a file is not the one that it was when the path was decided about. */
export class FolderReplaced extends Error {
  constructor() {
    super('A folder on the way was replaced by a link.')
    this.name = 'FolderReplaced'
  }
}

/** Where the files of this process are as paths, on Linux. */
const DESCRIPTORS = '/proc/self/fd'

/**
 * Does work in a folder, given by its real path, that stays the same folder whatever happens to its path meanwhile: `base`
 * leads to it. Throws `FolderReplaced` when a link has been put on the way. Outside Linux the path is only looked at before.
 */
export async function inFolder<T>(folder: string, work: (base: string) => Promise<T>): Promise<T> {
  const handle = await openFolder(folder)
  try {
    return await work(await getBase(handle, folder))
  } finally {
    await handle.close()
  }
}

/** Makes the folders of a real path that are missing, each one inside the one above it, and gives the uppermost. */
export async function makeFolders(folder: string): Promise<string | undefined> {
  try {
    await inFolder(folder, () => Promise.resolve())
    return undefined
  } catch (error) {
    if (getCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error
  }
  const above = await makeFolders(dirname(folder))
  await inFolder(dirname(folder), base =>
    mkdir(join(base, basename(folder))).catch(error => {
      if (getCode(error) !== 'EEXIST') throw error
    }),
  )
  await inFolder(folder, () => Promise.resolve())
  return above ?? folder
}

async function openFolder(folder: string): Promise<FileHandle> {
  const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants
  const handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(error => {
    if (getCode(error) === 'ELOOP' || getCode(error) === 'ENOTDIR') throw new FolderReplaced()
    throw error
  })
  const stays = await isAt(handle, folder).catch(() => false)
  if (stays) return handle
  await handle.close()
  throw new FolderReplaced()
}

/** Where there is no `/proc`, the path itself. */
async function getBase({ fd }: FileHandle, folder: string): Promise<string> {
  const base = join(DESCRIPTORS, String(fd))
  const isThere = process.platform === 'linux' && (await readlink(base).catch(() => '')) !== ''
  return isThere ? base : folder
}
