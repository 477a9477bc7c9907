import { lstatSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ArgotError } from '@argot/core'
import { createFile, type Disk, isSystemError, syncPath } from './disk.ts'
import { makeFolder, stateFolder } from './layout.ts'

/** Copies a file from one document's state folder to the same place beside another document. Never replaces a file. */
export async function copyBeside(disk: Disk, path: string, source: string, target: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return
  const name = relative(stateFolder(source), path)
  const folders = dirname(name) === '.' ? [] : dirname(name).split(/[\\/]/)
  await makeFolder(disk, target, ...folders)
  const to = join(stateFolder(target), name)
  try {
    createFile(disk, to, readFileSync(path))
    await syncPath(disk, to)
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
    if (readFileSync(path).equals(readFileSync(to))) return
    const message = `\`${to}\` belongs to another document, so the transcript can't be written there. Choose another output folder.`
    throw new ArgotError('RUN_NOT_SAVED', message, { cause: error })
  }
}
