import { defined } from '@argot/core/stream/internal'
import { type BranchOrigin, readOrigin } from './branch-origin.ts'
import { readDocumentHead } from './document-head.ts'
import { chooseTitle } from './document-title.ts'
import type { Store } from './store.ts'

export async function readDocumentFacts(store: Store, path: string): Promise<{ title: string; origin?: BranchOrigin }> {
  const [{ title }, sidecar] = await Promise.all([
    readDocumentHead(store.documents, path),
    store.sidecars.read(path).catch(() => ({ records: [] })),
  ])
  return { title: chooseTitle(title, sidecar), ...defined({ origin: readOrigin(sidecar) }) }
}
