import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Store } from '@argot/agent'
import { readRecords } from '@argot/agent/internal'

const WRITABLE_BY_ALL = 0o002

/**
 * The reason why a document may belong to another user, as a sentence. Approvals aren't relaxed for it then. A document
 * is this user's if they own it and one of their runs has written in it: a downloaded folder has no such document.
 */
export async function findOwnershipProblem(store: Store, document: string): Promise<string | undefined> {
  const file = join(store.root ?? '', document)
  for (const path of [dirname(file), file]) {
    const { uid, mode } = await stat(path)
    if (process.getuid !== undefined && uid !== process.getuid())
      return 'The document belongs to another user on this machine.'
    if ((mode & WRITABLE_BY_ALL) !== 0) return 'Everyone on this machine can change the document.'
  }
  const { batches } = await readRecords(store, document)
  return batches.some(({ isSigned }) => isSigned === true) ? undefined : 'You have not run this document yet.'
}
