import { randomUUID } from 'node:crypto'
import { realpath, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createWhole } from '../files/write-all.ts'
import { nodeDisk, syncFolder } from '../store/folder/disk.ts'

/** For a file that only this user can read. Replaces it as a whole. If it is a link, replaces the file it leads to. */
export async function replacePrivateFile(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file)
  const draft = `${target}.${randomUUID()}.tmp`
  try {
    createWhole(draft, text, { mode: 0o600, sync: true })
    await rename(draft, target)
    await syncFolder(nodeDisk, dirname(target))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
