import { randomUUID } from 'node:crypto'
import { lstatSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StateFiles } from '../store.ts'
import { createFile, type Disk, syncPath } from './disk.ts'
import { makeFolder, stateFolder } from './layout.ts'

/** Longer files are none of ours. */
const LARGEST = 128 * 1024 * 1024

/** Files of their own beside a document, in folders of `.chatmd`. Links are not followed: others can write there. */
export function folderStateFiles(disk: Disk, file: string): StateFiles {
  return {
    async read(folder, name) {
      const path = join(stateFolder(file), folder, checked(name))
      try {
        for (const one of [stateFolder(file), join(stateFolder(file), folder)]) {
          if (!lstatSync(one).isDirectory()) return undefined
        }
        const found = lstatSync(path)
        if (!found.isFile() || found.size > LARGEST) return undefined
        return await readFile(path, 'utf8')
      } catch {
        return undefined
      }
    },
    async write(folder, name, text) {
      const place = await makeFolder(disk, file, folder)
      const path = join(place, checked(name))
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (found?.isFile() === true && found.size === Buffer.byteLength(text) && (await readFile(path, 'utf8')) === text)
        return
      const draft = join(place, `${randomUUID()}.tmp`)
      try {
        createFile(disk, draft, text)
        await syncPath(disk, draft)
        renameSync(draft, path)
      } finally {
        rmSync(draft, { force: true })
      }
    },
  }
}

/** A name that leads nowhere else. */
function checked(name: string): string {
  if (/[\\/\0]/.test(name) || name.startsWith('.')) throw new Error(`\`${name}\` is not the name of a file.`)
  return name
}
