import { useEffect, useMemo, useState } from 'react'
import { api, type DocumentEntry, type RunResource } from './api.ts'
import { followServer } from './server-events.ts'

export interface Documents {
  /** Those that need somebody first, then those that run, then by when they changed. Undefined while they are loaded. */
  list: readonly DocumentEntry[] | undefined
  /** The newest run of each document that was heard of. */
  runs: ReadonlyMap<string, RunResource>
  isConnected: boolean
  error: string | undefined
  reload(): void
}

const order: Readonly<Record<DocumentEntry['state'], number>> = {
  waiting: 0,
  running: 1,
  interrupted: 2,
  idle: 2,
  gone: 3,
}

/** The documents of the server as they are now. */
export function useDocuments(): Documents {
  const [entries, setEntries] = useState<ReadonlyMap<string, DocumentEntry>>()
  const [runs, setRuns] = useState<ReadonlyMap<string, RunResource>>(new Map())
  const [isConnected, setConnected] = useState(true)
  const [error, setError] = useState<string>()
  const [turn, setTurn] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn is a reason to load
  useEffect(() => {
    let isHere = true
    const load = async (): Promise<void> => {
      try {
        const list = await api.documents()
        if (isHere) setEntries(new Map(list.map(entry => [entry.path, entry])))
        setError(undefined)
      } catch (thrown) {
        if (isHere) setError(thrown instanceof Error ? thrown.message : String(thrown))
      }
    }
    void load()
    return () => {
      isHere = false
    }
  }, [turn])
  useEffect(
    () =>
      followServer({
        document: entry =>
          setEntries(before => {
            const next = new Map(before)
            if (entry.state === 'gone') next.delete(entry.path)
            else next.set(entry.path, entry)
            return next
          }),
        run: run => setRuns(before => new Map(before).set(run.document, run)),
        connected: is => {
          setConnected(is)
          if (is) setTurn(one => one + 1)
        },
      }),
    [],
  )
  const list = useMemo(() => {
    if (entries === undefined) return undefined
    return [...entries.values()].sort(
      (a, b) => order[a.state] - order[b.state] || (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0),
    )
  }, [entries])
  return { list, runs, isConnected, error, reload: () => setTurn(one => one + 1) }
}
