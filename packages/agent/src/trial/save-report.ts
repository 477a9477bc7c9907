import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ArgotError } from '@argot/core'
import { replaceFile } from '../files/replace-file.ts'
import { getCode } from '../words/get-code.ts'
import { toMessage } from '../words/to-message.ts'

/** Writes a file so that readers see either the old text or the new one. Throws `TRIAL_NOT_SAVED`. */
export async function saveReport(file: string, text: string): Promise<void> {
  try {
    await replaceFile(await toRealPath(resolve(file)), text, file)
  } catch (error) {
    throw new ArgotError('TRIAL_NOT_SAVED', `The results were not saved. ${toMessage(error)}`, { cause: error })
  }
}

/** Follows a link, because the user named it. */
async function toRealPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (getCode(error) !== 'ENOENT') throw error
    return join(await realpath(dirname(path)), basename(path))
  }
}
