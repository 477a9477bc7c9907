import { readFileSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nextFileNumber, type WriteResult } from '@argot/core/chatmd/internal'
import { createOpenFile, type Disk, isSystemError } from './disk.ts'
import { listFolder, stateFolder } from './layout.ts'
import type { UnsyncedFiles } from './unsynced-files.ts'

/** How often the number of a file is chosen again when others write into the same folder. */
const ATTEMPTS = 100

interface MadeFile {
  path: string
  /** It was not there before. */
  isNew: boolean
  /** Of a file that stays open. */
  fd: number | undefined
}

/**
 * Makes the files of a piece of a document, each with a name of its own: nothing is ever written over. `write` gives the
 * piece with its files numbered from a number on; after the first attempt a file of another document has one of them.
 * `unsynced` is told about the files.
 */
export function createPayloads(
  disk: Disk,
  file: string,
  first: number | undefined,
  unsynced: UnsyncedFiles,
  write: (number: number, isFirst: boolean) => WriteResult,
): WriteResult {
  const folder = stateFolder(file)
  let number = first ?? nextFileNumber(listFolder(folder))
  for (let attempt = 0; ; attempt++) {
    const written = write(number, attempt === 0)
    const files: MadeFile[] = []
    try {
      for (const { path: name, text } of written.files) {
        const path = join(dirname(file), name)
        const fd = createPayload(disk, path, text)
        const isKept = files.length < unsynced.room
        if (fd !== undefined && !isKept) disk.close(fd)
        files.push({ path, isNew: fd !== undefined, fd: isKept ? fd : undefined })
      }
    } catch (error) {
      for (const one of files) takeBack(disk, one)
      if (!isSystemError(error, 'EEXIST') || attempt === ATTEMPTS) throw error
      number = Math.max(number + 1, nextFileNumber(listFolder(folder)))
      continue
    }
    for (const { path, fd } of files) unsynced.add(path, fd)
    return written
  }
}

/** The descriptor of the new file; undefined for one that a crash left without a reference and that says the same: it serves. */
function createPayload(disk: Disk, path: string, text: string): number | undefined {
  try {
    return createOpenFile(disk, path, text)
  } catch (error) {
    if (!isSystemError(error, 'EEXIST') || readFileSync(path, 'utf8') !== text) throw error
    return undefined
  }
}

function takeBack(disk: Disk, { path, isNew, fd }: MadeFile): void {
  if (fd !== undefined) disk.close(fd)
  if (isNew) unlinkSync(path)
}
