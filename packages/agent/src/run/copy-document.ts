import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArgotError } from 'argot'
import { isSystemError } from '../transcript/disk.ts'

/**
 * Copies a document to where its transcript is to go, with the files of its calls where that is another folder. Throws
 * `RUN_OUTPUT_EXISTS` or `RUN_NOT_SAVED` rather than replace anything.
 */
export async function copyDocument(source: string, target: string): Promise<void> {
  const [from, to] = [dirname(source), dirname(target)]
  await mkdir(to, { recursive: true })
  if ((await lstat(target).catch(() => undefined)) !== undefined) throw exists(target)
  if (from !== to) {
    const text = await readFile(source, 'utf8')
    const names = new Set([...text.matchAll(/"\.\/\.chatmd\/([\w.-]+)"/g)].map(match => match[1]!))
    for (const name of names) await copyPayload(join(from, '.chatmd', name), join(to, '.chatmd', name))
  }
  try {
    await copyFile(source, target, constants.COPYFILE_EXCL)
  } catch (error) {
    throw isSystemError(error, 'EEXIST') ? exists(target) : error
  }
}

function exists(target: string): ArgotError {
  const cure = 'Run that document itself to go on with it, remove it, or name another file.'
  return new ArgotError('RUN_OUTPUT_EXISTS', `\`${target}\` is there already. ${cure}`)
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
