import type { Api } from '@argot/server/api'
import { useCallback, useEffect, useState } from 'react'
import { api, ServerError } from './api.ts'

type Status = Api['readRelaxations']['answer']

export interface Relax {
  /** The folders with relaxed approvals; each contains the document. */
  active: Status['active']
  /** The folders to choose from, closest first; none if the server does not allow it. */
  folders: readonly string[]
  start(folder: string): Promise<void>
  end(folder: string): Promise<void>
}

/** The status is requested again after this long: another tab may have changed it. */
const AGAIN_MS = 30_000

/** Undefined if the server does not allow it. */
export function useRelax(document: string, stamp: string, isAllowed: boolean): Relax | undefined {
  const [status, setStatus] = useState<Status>()
  const [readCount, setReadCount] = useState(0)
  const readAgain = useCallback(() => setReadCount(one => one + 1), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn and a new stamp are reasons to ask
  useEffect(() => {
    if (!isAllowed) return
    let isMounted = true
    let timer: ReturnType<typeof setTimeout> | undefined
    api.relaxations(document).then(
      next => {
        if (!isMounted) return
        setStatus(next)
        const ends = next.active.map(({ until }) => Date.parse(until) - Date.now())
        timer = setTimeout(readAgain, Math.max(0, Math.min(AGAIN_MS, ...ends)))
      },
      error => {
        if (!isMounted) return
        // A server that does not allow it has no such address. One that is away may have ended it.
        setStatus(undefined)
        if (!(error instanceof ServerError)) timer = setTimeout(readAgain, AGAIN_MS)
      },
    )
    return () => {
      isMounted = false
      clearTimeout(timer)
    }
  }, [document, stamp, readCount, readAgain, isAllowed])
  if (status === undefined || !isAllowed) return undefined
  const around = foldersAround(document)
  return {
    active: status.active.filter(({ folder }) => around.includes(folder)),
    folders: status.key === undefined ? [] : around,
    async start(folder) {
      try {
        await api.startRelaxation({ document, folder, key: status.key ?? '' })
      } finally {
        readAgain()
      }
    },
    async end(folder) {
      await api.endRelaxation(folder)
      readAgain()
    },
  }
}

/** `a/b`, `a` and the served folder (`''`) for `a/b/c.chatmd`. */
function foldersAround(document: string): string[] {
  const names = document.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, names.length - index).join('/')).concat('')
}
