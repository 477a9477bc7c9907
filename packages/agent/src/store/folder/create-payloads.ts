import { readFileSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nextFileNumber, type WriteResult } from '@argot/core/chatmd/internal'
import { createOpenFile, type Disk, isSystemError } from './disk.ts'
import { listFolder, stateFolder } from './layout.ts'
import type { UnsyncedFiles } from './unsynced-files.ts'

/** How many file numbers are tried while others write into the same folder. */
const ATTEMPTS = 100

interface PayloadFile {
  path: string
  isNew: boolean
  fd: number | undefined
}

/**
 * Creates the payload files for a piece of a document. Each gets an unused name: nothing is ever overwritten. `write`
 * returns the piece with its files numbered from the given number. It is called again if a file of another document has
 * one of those names. Adds the files to `unsynced`.
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
    const output = write(number, attempt === 0)
    const files: PayloadFile[] = []
    try {
      for (const { path: name, text } of output.files) {
        const path = join(dirname(file), name)
        const fd = createPayload(disk, path, text)
        const staysOpen = files.length < unsynced.room
        if (fd !== undefined && !staysOpen) disk.close(fd)
        files.push({ path, isNew: fd !== undefined, fd: staysOpen ? fd : undefined })
      }
    } catch (error) {
      for (const one of files) takeBack(disk, one)
      if (!isSystemError(error, 'EEXIST') || attempt === ATTEMPTS) throw error
      number = Math.max(number + 1, nextFileNumber(listFolder(folder)))
      continue
    }
    for (const { path, fd } of files) unsynced.add(path, fd)
    return output
  }
}

/** The new file's descriptor. Undefined if a crash left the same file without a reference: that file is reused. */
function createPayload(disk: Disk, path: string, text: string): number | undefined {
  try {
    return createOpenFile(disk, path, text)
  } catch (error) {
    if (!isSystemError(error, 'EEXIST') || readFileSync(path, 'utf8') !== text) throw error
    return undefined
  }
}

function takeBack(disk: Disk, { path, isNew, fd }: PayloadFile): void {
  if (fd !== undefined) disk.close(fd)
  if (isNew) unlinkSync(path)
}
