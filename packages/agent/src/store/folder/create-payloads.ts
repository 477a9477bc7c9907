import { readFileSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nextFileNumber, type Written } from 'argot/chatmd'
import { createFile, type Disk, isSystemError } from './disk.ts'
import { listFolder, stateFolder } from './layout.ts'

/** How often the number of a file is chosen anew when others write into the same folder. */
const ATTEMPTS = 100

/**
 * Makes the files of a piece of a document, each with a name of its own: nothing is ever written over. `write` gives the
 * piece with its files numbered from a number on; after the first attempt a file of another document has one of them.
 */
export function createPayloads(
  disk: Disk,
  file: string,
  first: number | undefined,
  write: (number: number, isFirst: boolean) => Written,
): { written: Written; paths: string[] } {
  const folder = stateFolder(file)
  let number = first ?? nextFileNumber(listFolder(folder))
  for (let attempt = 0; ; attempt++) {
    const written = write(number, attempt === 0)
    const made: string[] = []
    const paths = written.files.map(one => join(dirname(file), one.path))
    try {
      written.files.forEach(({ text }, index) => {
        if (createPayload(disk, paths[index]!, text)) made.push(paths[index]!)
      })
      return { written, paths }
    } catch (error) {
      if (!isSystemError(error, 'EEXIST') || attempt === ATTEMPTS) throw error
      for (const path of made) unlinkSync(path)
      number = Math.max(number + 1, nextFileNumber(listFolder(folder)))
    }
  }
}

/** False for a file that a crash left without a reference and that says the same: it serves. */
function createPayload(disk: Disk, path: string, text: string): boolean {
  try {
    createFile(disk, path, text)
    return true
  } catch (error) {
    if (!isSystemError(error, 'EEXIST') || readFileSync(path, 'utf8') !== text) throw error
    return false
  }
}
