import type { Store } from '@argot/agent'
import type { StoredDocument } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'

/** The store with a size limit on every document that is read: for a list, a page, a comparison, a run. */
export function limitDocuments(store: Store, most: number): Store {
  const { documents } = store
  const { readStart, stamps } = documents
  return {
    root: store.root,
    logs: store.logs,
    leases: store.leases,
    inbox: store.inbox,
    trash: store.trash,
    sidecars: store.sidecars,
    files: path => store.files(path),
    ...(store.versions && { versions: (path: string) => store.versions!(path) }),
    ...(store.prune && { prune: options => store.prune!(options) }),
    documents: {
      read: async (path, options) => checkSize(await documents.read(path, { ...options, most }), most),
      open: (path, lease) => documents.open(path, lease, { most }),
      write: (path, text, condition) => documents.write(path, text, { ...condition, most }),
      branch: (path, text, to) => documents.branch(path, text, to),
      list: () => documents.list(),
      watch: signal => documents.watch(signal),
      rename: (path, to, lease) => documents.rename(path, to, lease),
      remove: (path, lease) => documents.remove(path, lease),
      erase: (path, lease) => documents.erase(path, lease),
      ...(stamps && { stamps: (path?: string) => stamps.call(documents, path) }),
      ...(readStart && { readStart: (path: string, bytes: number) => readStart.call(documents, path, bytes) }),
    },
  }
}

/** A store that ignores the limit has read all of it. */
function checkSize(document: StoredDocument, most: number): StoredDocument {
  if (document.text.length <= most) return document
  throw new ArgotError('CHATMD_SOURCE_TOO_LARGE', `The document has more than ${most} bytes.`)
}
