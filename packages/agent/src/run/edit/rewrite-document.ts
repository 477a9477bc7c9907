import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { folderStore } from '../../store/folder/folder-store.ts'
import { removeEmptyFolders } from '../../store/folder/layout.ts'

/**
 * Replaces the text of a document by what `change` makes of it; undefined leaves it as it is. Nobody else runs or writes
 * it meanwhile, and after a crash it has the old text or the new one. Throws `RUN_LOCKED` while a run has it, and
 * `RUN_FILE_CHANGED` when another program wrote it in between.
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
