import type { DocumentEntry, RunResource, ServerEvents } from '@argot/server/api'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api, type DocumentPage, RECENT_RUNS, ServerError } from './api.ts'
import { followServer } from './follow-server.ts'

export interface DocumentList {
  folder: string | undefined
  /** Those that need an answer first, then those that run, then by modification time. Undefined while they load. */
  list: readonly DocumentEntry[] | undefined
  /** How many there are. Until the list is complete, it has only the newest of them. */
  total: number
  isComplete: boolean
  runs: ReadonlyMap<string, RunResource>
  /** How many calls wait for an answer in all documents. */
  waiting: number
  isConnected: boolean
  /** When this page noticed that the connection was lost, in milliseconds since 1970. */
  lostAt: number | undefined
  error: string | undefined
  reload(): void
}

const order: Readonly<Record<DocumentEntry['state'], number>> = {
  waiting: 0,
  running: 1,
  interrupted: 2,
  idle: 2,
}

const endStates: readonly RunResource['state'][] = ['done', 'failed', 'stopped']

/** If the server did not answer, the documents are requested again after this long. */
const RETRY_MS = 2000

/** The first request asks for this many documents, which is more than fit on a screen. */
const FIRST = 100
/** Each later request asks for this many. */
const MORE = 5000

export function waitingCalls({ state, pending, outputs }: RunResource): number {
  return endStates.includes(state) ? 0 : pending.length + outputs.length
}

/** A document with a waiting call needs the user, even while its other calls run. */
export function getState(entry: DocumentEntry, run: RunResource | undefined): DocumentEntry['state'] {
  return run !== undefined && waitingCalls(run) > 0 ? 'waiting' : entry.state
}

export function useDocuments(): DocumentList {
  const [folder, setFolder] = useState<string>()
  const [entries, setEntries] = useState<ReadonlyMap<string, DocumentEntry>>()
  const [total, setTotal] = useState(0)
  const [isComplete, setComplete] = useState(false)
  const [runs, setRuns] = useState<ReadonlyMap<string, RunResource>>(new Map())
  const [lostAt, setLostAt] = useState<number>()
  const [error, setError] = useState<string>()
  const [loadCount, setLoadCount] = useState(0)
  /** Events since the last lists were requested: they are newer than those lists. */
  const recentEvents = useRef<Map<string, ServerEvents['document']>>(new Map())
  const recentRunEvents = useRef<Map<string, RunResource>>(new Map())
  /** Documents that have gone since the page was opened. */
  const gonePaths = useRef<Set<string>>(new Set())
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn is a reason to load
  useEffect(() => {
    let isMounted = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const load = async (): Promise<void> => {
      try {
        recentEvents.current.clear()
        recentRunEvents.current.clear()
        const listed = new Map<string, DocumentEntry>()
        const add = (page: DocumentPage): void => {
          for (const entry of page.documents) listed.set(entry.path, entry)
          setTotal(page.total)
        }
        const applyRecentEvents = (): Map<string, DocumentEntry> =>
          [...recentEvents.current.values()].reduce(applyEvent, new Map(listed))
        const first = await api.documents(FIRST)
        if (!isMounted) return
        setFolder(first.folder)
        add(first)
        // Until the whole list is here, an older list has more than the first page.
        const newestEntries = applyRecentEvents()
        setEntries(before => new Map([...(before ?? []), ...newestEntries]))
        setError(undefined)
        setLostAt(undefined)
        const recent = await api.recentRuns()
        if (!isMounted) return
        const newerIds = new Set(recentRunEvents.current.keys())
        const isGone = (path: string): boolean => recentEvents.current.get(path)?.state === 'gone'
        const latest = recent.filter(({ id, document }) => !newerIds.has(id) && !isGone(document))
        setRuns(before => withRuns(withoutRemoved(before, recent, newerIds), latest))
        for (let { next } = first; next !== undefined; ) {
          const page = await api.documents(MORE, next)
          if (!isMounted) return
          add(page)
          next = page.next
        }
        setEntries(applyRecentEvents())
        setComplete(true)
      } catch (thrown) {
        if (!isMounted) return
        // A server that refuses is running.
        if (thrown instanceof ServerError) setError(thrown.message)
        else {
          setLostAt(before => before ?? Date.now())
          timer = setTimeout(() => setLoadCount(one => one + 1), RETRY_MS)
        }
      }
    }
    void load()
    return () => {
      isMounted = false
      clearTimeout(timer)
    }
  }, [loadCount])
  useEffect(
    () =>
      followServer({
        document: entry => {
          recentEvents.current.set(entry.path, entry)
          setEntries(before => before && applyEvent(new Map(before), entry))
          if (entry.state === 'gone') {
            gonePaths.current.add(entry.path)
            // Its runs were removed, or renamed with it.
            setRuns(before => withoutPath(before, entry.path))
          } else if (gonePaths.current.delete(entry.path)) {
            // If it was restored, so were its runs. No event names them.
            setLoadCount(one => one + 1)
          }
        },
        run: run => {
          recentRunEvents.current.set(run.id, run)
          setRuns(before => withRuns(before, [run]))
        },
        connected: is => {
          setLostAt(before => (is ? undefined : (before ?? Date.now())))
          if (is) setLoadCount(one => one + 1)
        },
      }),
    [],
  )
  const list = useMemo(() => {
    if (entries === undefined) return undefined
    const rank = (entry: DocumentEntry): number => order[getState(entry, runs.get(entry.path))]
    return [...entries.values()].sort(
      (a, b) => rank(a) - rank(b) || (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0),
    )
  }, [entries, runs])
  const waiting = useMemo(() => [...runs.values()].reduce((sum, run) => sum + waitingCalls(run), 0), [runs])
  const reload = (): void => setLoadCount(one => one + 1)
  const count = isComplete ? (list?.length ?? 0) : Math.max(total, list?.length ?? 0)
  return {
    folder,
    list,
    total: count,
    isComplete,
    runs,
    waiting,
    isConnected: lostAt === undefined,
    lostAt,
    error,
    reload,
  }
}

function applyEvent(entries: Map<string, DocumentEntry>, entry: ServerEvents['document']): Map<string, DocumentEntry> {
  if (entry.state === 'gone') entries.delete(entry.path)
  else entries.set(entry.path, entry)
  return entries
}

function withoutPath(runs: ReadonlyMap<string, RunResource>, path: string): ReadonlyMap<string, RunResource> {
  return new Map([...runs].filter(([document]) => document !== path))
}

/** A run that should be among the newest ones and isn't was removed with its document, unless an event is newer. */
function withoutRemoved(
  runs: ReadonlyMap<string, RunResource>,
  recent: readonly RunResource[],
  newerIds: ReadonlySet<string>,
): ReadonlyMap<string, RunResource> {
  const ids = new Set(recent.map(({ id }) => id))
  const oldest = recent.length < RECENT_RUNS ? '' : recent.at(-1)!.id
  return new Map([...runs].filter(([, { id }]) => ids.has(id) || id < oldest || newerIds.has(id)))
}

/**
 * The newest run of each document. A newer event about a run replaces the older one, even if its document has another
 * path by now.
 */
function withRuns(
  before: ReadonlyMap<string, RunResource>,
  changes: readonly RunResource[],
): ReadonlyMap<string, RunResource> {
  const next = new Map(before)
  const paths = new Map(Array.from(before, ([path, { id }]) => [id, path]))
  for (const run of changes) {
    const existing = next.get(run.document)
    const isOlder = existing !== undefined && existing.id !== run.id && existing.startedAt > run.startedAt
    const isStale = existing?.id === run.id && existing.offset > run.offset
    if (isOlder || isStale) continue
    const oldPath = paths.get(run.id)
    if (oldPath !== undefined && next.get(oldPath)?.id === run.id) next.delete(oldPath)
    next.set(run.document, run)
    paths.set(run.id, run.document)
  }
  return next
}
