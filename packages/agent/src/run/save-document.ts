import { mkdirSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Message } from 'argot'
import { writeChatMd } from 'argot/chatmd'
import { createPayloads } from '../store/folder/create-payloads.ts'
import { nodeDisk, syncFolder, syncPath } from '../store/folder/disk.ts'
import { folderStore } from '../store/folder/folder-store.ts'
import { makeFolder, stateFolder } from '../store/folder/layout.ts'
import { refuseExisting } from '../store/folder/output-exists.ts'
import type { Payloads } from '../store/store.ts'

/**
 * Writes messages as a new document, with the files of its calls beside it where `payloads` says so. The document comes
 * last, and nothing is written over: a file that is there throws `RUN_OUTPUT_EXISTS`.
 */
export async function saveDocument(file: string, messages: readonly Message[], payloads: Payloads): Promise<void> {
  const target = resolve(file)
  mkdirSync(dirname(target), { recursive: true })
  refuseExisting(target)
  const records = messages.map(message => ({ type: 'message', message }) as const)
  const write = (number: number) => writeChatMd(records, { payloads, number })
  if (payloads === 'external') await makeFolder(nodeDisk, target)
  const { written, paths } = createPayloads(nodeDisk, target, undefined, write)
  for (const path of paths) await syncPath(nodeDisk, path)
  if (paths.length > 0) await syncFolder(nodeDisk, stateFolder(target))
  await folderStore(dirname(target)).documents.branch(basename(target), written.append.replace(/^\n/, ''), target)
}
