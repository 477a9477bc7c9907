import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArgotError } from 'argot'
import { isSystemError } from '../transcript/disk.ts'

/**
 * Copies a document to where its transcript is to go, with the files of its calls where that is another folder. Throws
 * `RUN_NOT_SAVED` rather than replace a file of another document.
 */
export async function copyDocument(source: string, target: string): Promise<void> {
  const [from, to] = [dirname(source), dirname(target)]
  if (from !== to) {
    const text = await readFile(source, 'utf8')
    const names = new Set([...text.matchAll(/"\.\/\.chatmd\/([\w.-]+)"/g)].map(match => match[1]!))
    for (const name of names) await copyPayload(join(from, '.chatmd', name), join(to, '.chatmd', name))
  }
  await copyFile(source, target)
}

async function copyPayload(source: string, target: string): Promise<void> {
  const found = await lstat(source).catch(() => undefined)
  if (found?.isFile() !== true) return
  await mkdir(dirname(target), { recursive: true })
  try {
    await copyFile(source, target, constants.COPYFILE_EXCL)
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
    if ((await readFile(source)).equals(await readFile(target))) return
    const message = `\`${target}\` belongs to another document, so the transcript cannot be written beside it. Choose another folder for the output.`
    throw new ArgotError('RUN_NOT_SAVED', message, { cause: error })
  }
}
