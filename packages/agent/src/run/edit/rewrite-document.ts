import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { folderStore } from '../../store/folder/folder-store.ts'
import { removeEmptyFolders } from '../../store/folder/layout.ts'

/**
 * Replaces a document's text with the result of `change`; undefined leaves it unchanged. Meanwhile, nothing else can
 * run or write it. After a crash it has either the old text or the new one. Throws `RUN_LOCKED` while a run has it, and
 * `RUN_FILE_CHANGED` if another program wrote it in between.
 */
export async function rewriteDocument(file: string, change: (text: string) => string | undefined): Promise<void> {
  const real = await realpath(file)
  const path = basename(real)
  const { leases, documents } = folderStore(dirname(real))
  const lease = await leases.take(path)
  try {
    const { text, version } = await documents.read(path)
    const changed = change(text)
    if (changed !== undefined && changed !== text) await documents.write(path, changed, { after: version, lease })
  } finally {
    await lease.release()
    removeEmptyFolders(real)
  }
}
