import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Store } from '@argot/agent'
import { readRecords } from '@argot/agent/internal'

/** Everyone may write. */
const OPEN_TO_ALL = 0o002

/**
 * The reason, in a sentence, why a document may belong to another user. Approvals aren't relaxed for it then. A
 * document is this user's if they own it and one of their runs has written in it: a downloaded folder has no such
 * document.
 */
export async function findStranger(store: Store, document: string): Promise<string | undefined> {
  const file = join(store.root ?? '', document)
  for (const path of [dirname(file), file]) {
    const { uid, mode } = await stat(path)
    if (process.getuid !== undefined && uid !== process.getuid())
      return 'The document belongs to another user of this machine.'
    if ((mode & OPEN_TO_ALL) !== 0) return 'Everyone on this machine can change the document.'
  }
  const { batches } = await readRecords(store, document)
  return batches.some(({ isSigned }) => isSigned === true) ? undefined : 'You have not run this document yet.'
}
