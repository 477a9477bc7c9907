import type { RunResource } from '@argot/server/api'
import { useEffect, useRef } from 'react'
import { moveStoredEntries } from './move-stored-entries.ts'
import { momentHref, type PageRoute, toHref } from './use-route.ts'

/** Another client may rename the document in view. Its run has moved with it, and leads to the new path. */
export function useMovedDocument(
  { document, run: replayed, moment }: PageRoute,
  isMissing: boolean,
  runs: ReadonlyMap<string, RunResource>,
): void {
  const lastRun = useRef<{ document: string; run: string }>(undefined)
  useEffect(() => {
    if (document === undefined) return
    const run = runs.get(document)?.id
    if (run !== undefined) lastRun.current = { document, run }
    const last = lastRun.current
    if (!isMissing || last?.document !== document) return
    const path = [...runs.values()].find(({ id }) => id === last.run)?.document
    if (path === undefined || path === document) return
    moveStoredEntries(document, path)
    location.replace(replayed === undefined ? toHref(path) : momentHref(path, replayed, moment))
  }, [document, replayed, moment, isMissing, runs])
}
