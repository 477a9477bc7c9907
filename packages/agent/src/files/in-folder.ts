import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { getCode } from '../words/get-code.ts'
import { isAt } from './local-file.ts'

export class FolderReplaced extends Error {
  constructor() {
    super('A folder on the path was replaced by a link.')
    this.name = 'FolderReplaced'
  }
}

/** This process's open files as paths, on Linux. */
const DESCRIPTORS = '/proc/self/fd'

/**
 * Runs `work` on a folder given by its real path. `base` keeps leading to the same folder even if its path is replaced
 * meanwhile. Throws `FolderReplaced` if a link was placed on the way. Outside Linux, the path is only checked
 * beforehand.
 */
export async function inFolder<T>(folder: string, work: (base: string) => Promise<T>): Promise<T> {
  const handle = await openFolder(folder)
  try {
    return await work(await getBase(handle, folder))
  } finally {
    await handle.close()
  }
}

/** Creates the missing folders of a real path, each inside its parent, and returns the topmost. */
export async function makeRealFolders(folder: string): Promise<string | undefined> {
  try {
    await inFolder(folder, () => Promise.resolve())
    return undefined
  } catch (error) {
    if (getCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error
  }
  const above = await makeRealFolders(dirname(folder))
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

/** The folder's own path on systems without `/proc`. */
async function getBase({ fd }: FileHandle, folder: string): Promise<string> {
  const base = join(DESCRIPTORS, String(fd))
  const hasProc = process.platform === 'linux' && (await readlink(base).catch(() => '')) !== ''
  return hasProc ? base : folder
}
