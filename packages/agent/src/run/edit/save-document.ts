import { basename, dirname, resolve } from 'node:path'
import type { Message } from '@argot/core'
import { writeChatMd } from '@argot/core/chatmd'
import type { WrittenRecord } from '@argot/core/chatmd/internal'
import { makeFolders } from '../../files/make-folders.ts'
import { toBatch } from '../../store/element-records.ts'
import { createPayloads } from '../../store/folder/create-payloads.ts'
import { nodeDisk } from '../../store/folder/disk.ts'
import { folderStore } from '../../store/folder/folder-store.ts'
import { makeFolder, removeEmptyFolders, stateFolder } from '../../store/folder/layout.ts'
import { refuseExisting } from '../../store/folder/output-exists.ts'
import { UnsyncedFiles } from '../../store/folder/unsynced-files.ts'
import type { Payloads, Store } from '../../store/store.ts'

/**
 * Writes messages as a new document after `preamble`, with payload files beside it if `payloads` says so. Never
 * overwrites: an existing file throws `RUN_OUTPUT_EXISTS`. Ids, times and usage go to the sidecar, unsigned, because no
 * run of this user has made them.
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
  const write = (number: number) => writeChatMd(records, { payloads, number, after: preamble, bookkeeping: 'apart' })
  if (payloads === 'external') await makeFolder(nodeDisk, target)
  const files = new UnsyncedFiles(nodeDisk, stateFolder(target))
  const output = createPayloads(nodeDisk, target, undefined, files, write)
  await files.sync().finally(() => files.close())
  const text = preamble === '' ? output.append.replace(/^\n/, '') : preamble + output.append
  const store = folderStore(dirname(target))
  await store.documents.branch(basename(target), text, target)
  if (output.records.some(({ attributes, meta, argot }) => meta ?? argot ?? Object.keys(attributes ?? {}).length > 0))
    await writeRecords(store, target, output.records)
}

async function writeRecords(store: Store, file: string, records: readonly WrittenRecord[]): Promise<void> {
  const path = basename(file)
  const lease = await store.leases.take(path)
  try {
    const sidecar = await store.sidecars.open(path, lease)
    try {
      sidecar.append(toBatch(records), { isSigned: false })
      await sidecar.sync()
    } finally {
      await sidecar.close()
    }
  } finally {
    await lease.release()
    removeEmptyFolders(file)
  }
}
