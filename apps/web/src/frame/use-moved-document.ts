import type { RunResource } from '@argot/server/api'
import { useEffect, useRef } from 'react'
import { toHref } from './use-route.ts'

/** Another client may rename the document in view. Its run has moved with it, and leads to the new path. */
export function useMovedDocument(
  document: string | undefined,
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
    if (path !== undefined && path !== document) location.replace(toHref(path))
  }, [document, isMissing, runs])
}
