import { join } from 'node:path'
import type { Store } from '@argot/agent'
import { ArgotError } from '@argot/core'
import { documentPath, isDocument, isStored } from '../guard/document-path.ts'
import { Problem } from '../guard/problem.ts'

const folder = 'chats'

/**
 * A chat's document: the one whose path is the id, otherwise one that was created for the id. Undefined if there is
 * none.
 */
export async function findChat(store: Store, id: string): Promise<string | undefined> {
  const own = toPath(store, `${id}.chatmd`)
  if (await documentExists(store, own)) return own
  const path = toPath(store, `${folder}/${id}.chatmd`)
  return (await documentExists(store, path)) ? path : undefined
}

/** The same, but creates the document from the template if there is none. */
export async function openChat(store: Store, id: string, template: () => Promise<string>): Promise<string> {
  const existing = await findChat(store, id)
  if (existing !== undefined) return existing
  if (!/^[\w-][\w.-]{0,127}$/.test(id)) {
    throw new Problem(400, 'SERVER_BAD_PATH', "A new chat's id may have up to 128 letters, digits, `_`, `-` and `.`.")
  }
  const path = toPath(store, `${folder}/${id}.chatmd`)
  try {
    await store.documents.write(path, await template(), {})
  } catch (error) {
    // Two simultaneous first messages: the other request has created it.
    if (!(error instanceof ArgotError) || error.code !== 'RUN_FILE_CHANGED') throw error
  }
  return path
}

function toPath({ root }: Store, path: string): string {
  return documentPath(root, path)
}

async function documentExists({ root, documents }: Store, path: string): Promise<boolean> {
  return root === undefined ? isStored(documents, path) : isDocument(join(root, path))
}
