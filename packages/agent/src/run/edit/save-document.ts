import { basename, dirname, resolve } from 'node:path'
import type { Message } from '@argot/core'
import { writeChatMd } from '@argot/core/chatmd'
import { makeFolders } from '../../files/make-folders.ts'
import { createPayloads } from '../../store/folder/create-payloads.ts'
import { nodeDisk } from '../../store/folder/disk.ts'
import { folderStore } from '../../store/folder/folder-store.ts'
import { makeFolder, stateFolder } from '../../store/folder/layout.ts'
import { refuseExisting } from '../../store/folder/output-exists.ts'
import { UnsyncedFiles } from '../../store/folder/unsynced-files.ts'
import type { Payloads } from '../../store/store.ts'

/**
 * Writes messages as a new document, after what it says before them, with the files of its calls beside it where `payloads` says so. The document comes
 * last, and nothing is written over: a file that is there throws `RUN_OUTPUT_EXISTS`.
 */
export async function saveDocument(
  file: string,
  messages: readonly Message[],
  payloads: Payloads,
  preamble = '',
): Promise<void> {
  const target = resolve(file)
  makeFolders(dirname(target))
  refuseExisting(target)
  const records = messages.map(message => ({ type: 'message', message }) as const)
  const write = (number: number) => writeChatMd(records, { payloads, number, after: preamble })
  if (payloads === 'external') await makeFolder(nodeDisk, target)
  const files = new UnsyncedFiles(nodeDisk, stateFolder(target))
  const written = createPayloads(nodeDisk, target, undefined, files, write)
  await files.sync().finally(() => files.close())
  const text = preamble === '' ? written.append.replace(/^\n/, '') : preamble + written.append
  await folderStore(dirname(target)).documents.branch(basename(target), text, target)
}
